# shellcheck shell=bash
# A node that is killed amid writes and embedding, and replaced by its synchronous standby, as the manual says (docs/operating.md): what was
# acknowledged is there, cut, embedded and found. Then the same of the coordinator.
quiet() { on "$1" -c 'SET client_min_messages = warning' -c "$2"; }
OLD=citus_worker_1 NEW=citus_standby
on $OLD -c 'SET client_min_messages = warning' -c 'ALTER SYSTEM SET kb_rag.workers = 2' -c 'SELECT pg_reload_conf()' \
    -c "SELECT kb_create('far', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL" >/dev/null
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null
# give_standby: to $OLD, the synchronous one $NEW.
give_standby() {
    # shellcheck disable=SC2004
    socket[$NEW]=$(start_standby $NEW $OLD 2>"$SCRATCH/standby") || cat "$SCRATCH/standby"
    on $OLD -c "ALTER SYSTEM SET synchronous_standby_names = '*'" -c 'SELECT pg_reload_conf()' >/dev/null
    wait_until $OLD "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
}
give_standby

# write NODE NAME [BASE]
write() {
    local number=0
    while [ ! -e "$SCRATCH/stop" ]; do
        number=$((number + 1))
        echo "SELECT '$2-$number' FROM kb_add('${3:-far}', 'Text of $2, number $number.', source_key => '$2-$number');$PADDING"
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
    : >"$SCRATCH/acknowledged_${writer#*:}"
    write "${writer%:*}" "${writer#*:}" &
    writers="$writers $!"
done
wait_for 200
kill_node $OLD
quiet citus_coordinator "SELECT state FROM error_of(\$\$SELECT kb_search('text', 'far')\$\$)"
on $NEW -c 'SELECT pg_promote() AS promoted'
# replace OF BY [COORDINATOR]: what the manual says, with the addresses of these servers.
replace() {
    documented 'How do I replace a node by its standby?' 1 |
        sed "s,kb2-standby.example.com,${socket[$2]},; s,kb2.example.com,${socket[$1]},; s/mydb/$DATABASE/" >"$SCRATCH/commands"
    PATH=$BIN:$PATH PGHOST=${socket[${3:-citus_coordinator}]} PGUSER=postgres PGOPTIONS='-c client_min_messages=warning' bash -e "$SCRATCH/commands" >"$SCRATCH/answers" 2>&1 ||
        cat "$SCRATCH/answers"
}
# Citus tells a node later where it cannot at once.
all_know() { wait_until "${1:-citus_coordinator}" 'SELECT bool_and(metadatasynced) FROM pg_dist_node WHERE hasmetadata'; }
replace $OLD $NEW
all_know
wait_for $(($(acknowledged) + 200))
touch "$SCRATCH/stop"
# shellcheck disable=SC2086
wait $writers
wait_until $NEW 'SELECT count(*) = 0 FROM pg_prepared_xacts'
wait_until citus_coordinator "SELECT indexed = documents AND embedded = chunks FROM kb_rag.status WHERE knowledge_base = 'far'"
on $NEW -c 'SELECT source_key FROM kb_far.document' | sort >"$SCRATCH/present"
echo "enough: $([ "$(acknowledged)" -ge 400 ] && echo yes)"
echo "acknowledged, but not present: $(cat "$SCRATCH"/acknowledged_* | sort | comm -23 - "$SCRATCH/present" | wc -l)"
on $NEW <<'SQL'
SELECT count(*) AS without_chunk FROM kb_far.document d WHERE NOT EXISTS (SELECT FROM kb_far.chunk c WHERE c.document_id = d.id);
SELECT count(*) AS without_vector FROM kb_far.chunk c WHERE NOT EXISTS (SELECT FROM kb_far.embedding e WHERE e.chunk_id = c.id);
SELECT count(*) AS not_found FROM (SELECT source_key FROM kb_far.document ORDER BY random() LIMIT 50) d
WHERE NOT EXISTS (SELECT FROM kb_search(replace('number ' || d.source_key, '-', ' '), 'far', 'keyword', match_count => 1000) f
    WHERE f.content LIKE '%of ' || replace(d.source_key, '-', ', number ') || '.');
SQL
for node in citus_coordinator $NEW citus_worker_2; do
    on $node -c "SELECT count(*) = 3 AS reachable, bool_or(node = '${socket[$NEW]}:5432' AND bases = 1) AS has_standby, sum(lost) AS lost, sum(unregistered) AS unregistered FROM kb_rag.cluster WHERE reachable"
done

# The name of the old server gets the data of the new one.
take_name() {
    dev/cluster stop $NEW
    rm -rf "$(data_of $OLD)"
    mv "$(data_of $NEW)" "$(data_of $OLD)"
    dev/cluster remove $NEW
    start_node $OLD >/dev/null 2>&1
}
on $NEW -c 'ALTER SYSTEM SET kb_rag.workers = 0' >/dev/null
take_name
replace $NEW $OLD
all_know
wait_until citus_worker_2 "SELECT count(*) > 0 FROM kb_search('number', 'far', 'keyword')"
wait_until $OLD "SELECT count(*) = 3 FROM kb_rag.cluster WHERE reachable"

echo "-- the coordinator"
OLD=citus_coordinator
quiet $OLD "SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
give_standby
rm -f "$SCRATCH"/stop "$SCRATCH"/acknowledged_*
writers=
for writer in citus_worker_1:d citus_worker_2:e; do
    : >"$SCRATCH/acknowledged_${writer#*:}"
    write "${writer%:*}" "${writer#*:}" here &
    writers="$writers $!"
done
wait_for 100
kill_node $OLD
# Without it, calls go on that do not need its bases.
on citus_worker_2 -c "SELECT count(*) > 0 AS found FROM kb_search('number', 'far', 'keyword')"
on citus_worker_2 -c "SELECT state FROM error_of(\$\$SELECT kb_search('text', 'here')\$\$)"
on $NEW -c 'SELECT pg_promote() AS promoted'
replace $OLD $NEW $NEW
all_know $NEW
wait_for $(($(acknowledged) + 100))
touch "$SCRATCH/stop"
# shellcheck disable=SC2086
wait $writers
wait_until $NEW 'SELECT count(*) = 0 FROM pg_prepared_xacts'
on $NEW -c 'SELECT source_key FROM kb_here.document' | sort >"$SCRATCH/present"
echo "acknowledged, but not present: $(cat "$SCRATCH"/acknowledged_* | sort | comm -23 - "$SCRATCH/present" | wc -l)"
# It does what only a coordinator does.
quiet $NEW 'SELECT kb_cluster_setup()'
quiet citus_worker_1 "SELECT kb_create('more', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
for node in $NEW citus_worker_1 citus_worker_2; do
    on $node -c "SELECT count(*) = 3 AS reachable, bool_or(node = '${socket[$NEW]}:5432' AND bases = 1) AS has_standby, sum(bases) AS bases, sum(lost) AS lost, sum(unregistered) AS unregistered FROM kb_rag.cluster WHERE reachable"
done
take_name
replace $NEW $OLD
all_know
wait_until citus_worker_2 "SELECT count(*) > 0 FROM kb_search('number', 'here', 'keyword')"
wait_until citus_worker_1 "SELECT count(*) = 3 FROM kb_rag.cluster WHERE reachable"
quiet citus_coordinator "SELECT kb_drop(name) FROM kb_list()" >/dev/null
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
rm -f "$SCRATCH"/acknowledged_* "$SCRATCH/present" "$SCRATCH/standby" "$SCRATCH/commands" "$SCRATCH/answers"
