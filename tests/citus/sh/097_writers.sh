# shellcheck shell=bash
# A node that is killed amid writes and embedding, and started again: what was acknowledged is there, cut, embedded and found.
quiet() { on "$1" -c 'SET client_min_messages = warning' -c "$2"; }
on citus_worker_1 -c 'SET client_min_messages = warning' -c 'ALTER SYSTEM SET kb_rag.workers = 2' -c 'SELECT pg_reload_conf()' \
    -c "SELECT kb_create('far', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL" >/dev/null
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null
# write ORIGIN NAME: adds documents until the file `stop` is there, and notes the keys of those that are acknowledged.
write() {
    local number=0
    while [ ! -e "$SCRATCH/stop" ]; do
        number=$((number + 1))
        echo "SELECT '$2-$number' FROM kb_add('far', 'Text of $2, number $number.', source_key => '$2-$number');$PADDING"
    done | on "$1" >"$SCRATCH/acknowledged_$2" 2>/dev/null
}
acknowledged() { cat "$SCRATCH"/acknowledged_* | wc -l; }
# wait_for NUMBER: of documents that were acknowledged.
wait_for() {
    for _ in $(seq 600); do
        [ "$(acknowledged)" -lt "$1" ] || return 0
        sleep 0.1
    done
    echo "after a minute fewer than $1 documents were acknowledged"
}
rm -f "$SCRATCH/stop"
writers=
for writer in citus_coordinator:a citus_coordinator:b citus_worker_2:c; do
    write "${writer%:*}" "${writer#*:}" &
    writers="$writers $!"
done
wait_for 200
for _ in 1 2; do
    kill_node citus_worker_1
    start_node citus_worker_1 >/dev/null 2>&1
    wait_for $(($(acknowledged) + 200))
done
touch "$SCRATCH/stop"
# shellcheck disable=SC2086
wait $writers
wait_until citus_worker_1 'SELECT count(*) = 0 FROM pg_prepared_xacts'
wait_until citus_coordinator "SELECT indexed = documents AND embedded = chunks FROM kb_rag.status WHERE knowledge_base = 'far'"
on citus_worker_1 -c "SELECT source_key FROM kb_far.document" | sort >"$SCRATCH/present"
echo "enough: $([ "$(acknowledged)" -ge 600 ] && echo yes)"
echo "acknowledged, but not present: $(cat "$SCRATCH"/acknowledged_* | sort | comm -23 - "$SCRATCH/present" | wc -l)"
on citus_worker_1 <<'SQL'
SELECT count(*) AS without_chunk FROM kb_far.document d WHERE NOT EXISTS (SELECT FROM kb_far.chunk c WHERE c.document_id = d.id);
SELECT count(*) AS without_vector FROM kb_far.chunk c WHERE NOT EXISTS (SELECT FROM kb_far.embedding e WHERE e.chunk_id = c.id);
SELECT count(*) AS not_found FROM (SELECT source_key FROM kb_far.document ORDER BY random() LIMIT 50) d
WHERE NOT EXISTS (SELECT FROM kb_search(replace('number ' || d.source_key, '-', ' '), 'far', 'keyword', match_count => 1000) f
    WHERE f.content LIKE '%of ' || replace(d.source_key, '-', ', number ') || '.');
ALTER SYSTEM SET kb_rag.workers = 0;
SELECT pg_reload_conf();
SQL
quiet citus_coordinator "SELECT kb_drop('far')" >/dev/null
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
rm -f "$SCRATCH"/acknowledged_* "$SCRATCH/present"
