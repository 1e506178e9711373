# shellcheck shell=bash
# A node is added amid writes, shards are moved, and a base is moved between two servers: nothing is lost, answers stay the same.
quiet() { on "$1" -c "SET client_min_messages = warning" -c 'SET statement_timeout = 60000' -c "$2"; }
NODE=citus_worker_3
quiet citus_coordinator "SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
quiet citus_worker_1 "SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null

# Writers and readers until the file `stop` is there.
rm -f "$SCRATCH/stop"
write() {
    local number=0
    while [ ! -e "$SCRATCH/stop" ]; do
        number=$((number + 1))
        echo "SELECT '$2-$number' FROM kb_add('$2', 'Text of $2, number $number.', source_key => '$2-$number');$PADDING"
    done | on "$1" -c 'SET client_min_messages = warning' -f - >"$SCRATCH/acknowledged_$2" 2>>"$SCRATCH/errors"
}
# Each document that was acknowledged before is found.
read_() {
    local key
    while [ ! -e "$SCRATCH/stop" ]; do
        key=$(tail -n 2 "$SCRATCH/acknowledged_far" | head -n 1)
        sleep 0.05
        [[ $key == far-* ]] || continue
        on citus_coordinator -c "SELECT count(*) FROM kb_search('number ${key#far-}', 'far', 'keyword', match_count => 200) WHERE content = 'Text of far, number ${key#far-}.'" 2>>"$SCRATCH/errors"
    done >"$SCRATCH/found"
}
# The same by a search over bases of two nodes.
read_both() {
    local key
    while [ ! -e "$SCRATCH/stop" ]; do
        key=$(tail -n 2 "$SCRATCH/acknowledged_far" | head -n 1)
        sleep 0.05
        [[ $key == far-* ]] || continue
        on citus_worker_2 -c "SELECT count(*) FROM kb_search('number ${key#far-}', knowledge_bases => '{far,here}', mode => 'keyword', match_count => 200) WHERE content = 'Text of far, number ${key#far-}.'" 2>>"$SCRATCH/errors"
    done >"$SCRATCH/found_in_both"
}
touch "$SCRATCH/acknowledged_far" "$SCRATCH/acknowledged_here" "$SCRATCH/errors"
write citus_coordinator far &
writers=$!
write citus_worker_2 here &
writers="$writers $!"
read_ &
writers="$writers $!"
read_both &
writers="$writers $!"

echo "-- a node is added"
# shellcheck disable=SC2004
socket[$NODE]=$(start_node $NODE)
"$BIN/psql" -XqAt -h "${socket[$NODE]}" -U postgres -d postgres -c "CREATE DATABASE $DATABASE" -c 'ALTER SYSTEM SET kb_rag.workers = 0' -c 'SELECT pg_reload_conf()' >/dev/null
quiet $NODE 'CREATE EXTENSION citus'
quiet citus_coordinator "SELECT citus_add_node('${socket[$NODE]}', 5432) > 0 AS added"
on $NODE -c "SELECT extname FROM pg_extension WHERE extname = 'kb_rag'"
handles="SELECT count(*) > 0 FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'kb_rag.handle'::regclass AND nodename = '${socket[$NODE]}'"
quiet citus_coordinator "$handles"
quiet citus_coordinator 'SELECT kb_cluster_setup()'
quiet citus_coordinator "$handles"
quiet $NODE "SELECT kb_create('new', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_worker_2 "SELECT kb_add('new', 'Tea.') IS NOT NULL AS added"
quiet citus_worker_1 "SELECT content FROM kb_search('tea', 'new', 'keyword')"

echo "-- shards are moved amid calls"
quiet citus_coordinator "SELECT count(citus_move_shard_placement(shardid, n.nodeid, (SELECT nodeid FROM pg_dist_node WHERE nodename = '${socket[$NODE]}'), 'block_writes')) > 0 AS moved
FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node n USING (groupid)
WHERE logicalrelid = 'kb_rag.handle'::regclass AND n.groupid = (SELECT groupid FROM kb_rag.placement WHERE name = 'far')
    AND shardid > (SELECT min(shardid) FROM pg_dist_shard JOIN pg_dist_placement p USING (shardid) WHERE logicalrelid = 'kb_rag.handle'::regclass AND p.groupid = n.groupid)"
echo "-- Citus balances them amid calls, as the manual says"
on citus_coordinator -c "$(documented 'How do I join several servers?' 3 | sed 's/^psql mydb -c "\(.*\)"$/\1/')" 2>/dev/null >"$SCRATCH/job"
wait_until citus_coordinator "SELECT state NOT IN ('scheduled', 'running') FROM pg_dist_background_job WHERE job_id = $(cat "$SCRATCH/job")"
on citus_coordinator -c "SELECT state FROM pg_dist_background_job WHERE job_id = $(cat "$SCRATCH/job")" \
    -c "SELECT command, status, message FROM pg_dist_background_task WHERE job_id = $(cat "$SCRATCH/job") AND status <> 'done'" \
    -c "SELECT count(*) AS nodes, min(n) > 10 AS are_balanced FROM (SELECT count(*) AS n FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) WHERE logicalrelid = 'kb_rag.handle'::regclass GROUP BY groupid) s"
number=$(wc -l <"$SCRATCH/acknowledged_far")
for _ in $(seq 300); do
    [ "$(wc -l <"$SCRATCH/acknowledged_far")" -lt $((number + 20)) ] || break
    sleep 0.1
done
touch "$SCRATCH/stop"
# shellcheck disable=SC2086
wait $writers
echo "errors: $(cat "$SCRATCH/errors")"
for base in here:citus_coordinator far:citus_worker_1; do
    on "${base#*:}" -c "SELECT source_key FROM kb_${base%:*}.document" | sort >"$SCRATCH/present"
    echo "${base%:*}: acknowledged, but not present: $(sort "$SCRATCH/acknowledged_${base%:*}" | comm -23 - "$SCRATCH/present" | wc -l)"
done
for found in found found_in_both; do echo "$found: $([ "$(wc -l <"$SCRATCH/$found")" -gt 5 ] && echo enough), not found: $(grep -cvx 1 "$SCRATCH/$found")"; done
rm -f "$SCRATCH"/acknowledged_* "$SCRATCH/errors" "$SCRATCH/found" "$SCRATCH/found_in_both" "$SCRATCH/job" "$SCRATCH/present"
quiet citus_coordinator 'SELECT kb_drop(name) FROM kb_list()' >/dev/null
quiet citus_coordinator "SELECT citus_drain_node('${socket[$NODE]}', 5432, shard_transfer_mode => 'block_writes')" >/dev/null 2>&1
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
quiet citus_coordinator "SELECT citus_remove_node('${socket[$NODE]}', 5432)" >/dev/null
dev/cluster remove $NODE
