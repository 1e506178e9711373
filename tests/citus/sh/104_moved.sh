# shellcheck shell=bash
# A shard of kb_rag.handle is moved after a call has chosen it, before Citus plans its statement: the server that has the shard now does
# not answer for the other.
quiet() { on "$1" -c 'SET client_min_messages = warning' -c "$2"; }
for base in here:citus_coordinator far:citus_worker_1 away:citus_worker_2; do
    quiet "${base#*:}" "SELECT kb_create('${base%:*}', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
done
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null
AGENT=a0000000-0000-0000-0000-000000000104
for base in here far away; do
    quiet citus_coordinator "SELECT kb_add('$base', 'Tea from $base.') IS NOT NULL" >/dev/null
    [ $base = here ] || quiet citus_coordinator "SELECT kb_attach_agent('$AGENT', '$base')" >/dev/null
done

# The shards of kb_rag.handle on worker 1, at most so many.
shards() {
    quiet citus_coordinator "SELECT shardid FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
WHERE logicalrelid = 'kb_rag.handle'::regclass AND nodename = '$1' ORDER BY shardid LIMIT $2"
}
move() { echo "SELECT citus_move_shard_placement($1, '$2', 5432, '$3', 5432, 'block_writes')"; }
# One is left there, so each call chooses it.
for shard in $(shards "$WORKER_1" 100 | tail -n +2); do quiet citus_coordinator "$(move "$shard" "$WORKER_1" "$WORKER_2")" >/dev/null; done

lock() { echo "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 104 AND $1)"; }
# moved CALL: meanwhile worker 1 gets another shard for its own.
moved() {
    local chosen another holder call
    chosen=$(shards "$WORKER_1" 1)
    another=$(shards "$WORKER_2" 1)
    echo "-- $1"
    # A session that holds the lock until its input ends.
    mkfifo "$SCRATCH/holder"
    on citus_coordinator <"$SCRATCH/holder" >/dev/null &
    holder=$!
    exec 7>"$SCRATCH/holder"
    echo 'SELECT pg_advisory_lock(104);' >&7
    wait_until citus_coordinator "$(lock 'granted')"
    on citus_coordinator -c "SET kb_rag.test_points = 'cluster.keys_chosen=104'" -c "$1" >"$SCRATCH/moved" 2>&1 7>&- &
    call=$!
    wait_until citus_coordinator "$(lock 'NOT granted')"
    quiet citus_coordinator "$(move "$another" "$WORKER_2" "$WORKER_1")" >/dev/null
    quiet citus_coordinator "$(move "$chosen" "$WORKER_1" "$WORKER_2")" >/dev/null
    exec 7>&-
    wait "$holder" "$call" || true
    rm "$SCRATCH/holder"
    cat "$SCRATCH/moved"
}
moved "SELECT content FROM kb_search('tea', 'far', 'keyword')"
moved "SELECT kb_context('tea', 'far', mode => 'keyword') LIKE '%Tea from far.%' AS has_text"
moved "SELECT count(*) FROM kb_search('coffee', 'far', 'keyword')"
moved "SELECT content FROM kb_search('tea', mode => 'keyword') ORDER BY 1"
moved "SELECT content FROM kb_search('tea', agent_id => '$AGENT', mode => 'keyword') ORDER BY 1"
moved "SELECT name FROM kb_list() ORDER BY 1"
# The snapshot of a transaction there does not show a shard that came after it.
echo "-- under REPEATABLE READ"
before=$(shards "$WORKER_1" 1)
quiet citus_coordinator "$(move "$(shards "$WORKER_2" 100 | tail -n 1)" "$WORKER_2" "$WORKER_1")" >/dev/null
quiet citus_coordinator "$(move "$before" "$WORKER_1" "$WORKER_2")" >/dev/null
on citus_coordinator <<SQL
SET client_min_messages = warning;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT content FROM kb_search('tea', 'far', 'keyword');
\\! $BIN/psql -XqAt -h $COORDINATOR -U postgres -d $DATABASE -c "$(move "$(shards "$WORKER_2" 1)" "$WORKER_2" "$WORKER_1")" >/dev/null
SELECT content FROM kb_search('tea', 'far', 'keyword');
SELECT name FROM kb_list() ORDER BY 1;
SELECT content FROM kb_search('tea', mode => 'keyword') ORDER BY 1;
SELECT state, message, hint FROM error_of(\$\$SELECT kb_add('far', 'More tea.')\$\$);
ROLLBACK;
SQL
echo "-- no other node takes the question for its own"
for node in citus_coordinator citus_worker_1; do
    on $node -c "SELECT kb_rag.is_node((SELECT groupid FROM pg_dist_node WHERE nodename = '$WORKER_1')), kb_rag.is_node(NULL), kb_rag.is_node(-1)"
done
quiet citus_coordinator 'SELECT kb_drop(name) FROM kb_list()' >/dev/null
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
rm -f "$SCRATCH/moved"
