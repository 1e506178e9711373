# shellcheck shell=bash
# All nodes restored to one restore point with the commands of the manual (docs/operating.md): what was acknowledged before it is there,
# a transaction over several nodes is on all of them or on none.
quiet() { on "$1" -c 'SET client_min_messages = warning' -c "$2"; }
HEADING='How do I back up and restore all nodes?'
NAMES="citus_coordinator citus_worker_1 citus_worker_2"
# run_documented NODE NUMBER: a block of commands of the manual, on a server.
run_documented() {
    documented "$HEADING" "$2" | sed "s,/backup/kb1,$(data_of "$1").backup,g; s/mydb/$DATABASE/" >"$SCRATCH/commands"
    dev/cluster run env "PATH=$BIN:$PATH" "PGDATA=$(data_of "$1")" "PGHOST=${socket[$1]}" PGUSER=postgres PGOPTIONS='-c client_min_messages=warning' \
        bash -e -s <"$SCRATCH/commands" >"$SCRATCH/answers" 2>&1 || cat "$SCRATCH/answers"
}
# at_once FUNCTION: of each node.
at_once() {
    local node waited=
    for node in $NAMES; do
        "$@" $node >/dev/null 2>&1 &
        waited="$waited $!"
    done
    # shellcheck disable=SC2086
    wait $waited
}
restart() { dev/cluster stop "$1" && start_node "$1"; }

for node in $NAMES; do run_documented $node 1; done
at_once restart
for server in citus_coordinator:here citus_worker_1:far citus_worker_2:away; do
    quiet "${server%:*}" "SELECT kb_create('${server#*:}', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL" >/dev/null
done
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null

# write ORIGIN: transactions over all nodes, until one fails; the keys of those that are acknowledged.
write() {
    local number=0
    while [ ! -e "$SCRATCH/stop" ]; do
        number=$((number + 1))
        cat <<SQL
BEGIN;
SELECT FROM kb_add('here', 'Tea $1 $number.', source_key => '$1-$number');
SELECT FROM kb_add('far', 'Tea $1 $number.', source_key => '$1-$number');
SELECT FROM kb_add('away', 'Tea $1 $number.', source_key => '$1-$number');
COMMIT;
SELECT '$1-$number';$PADDING
SQL
    done 2>/dev/null | on "$1" -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' -f - 2>/dev/null | grep --line-buffered . >"$SCRATCH/acknowledged_$1"
}
acknowledged() { cat "$SCRATCH"/acknowledged_* | wc -l; }
more() {
    local wanted
    wanted=$(($(acknowledged) + $1))
    for _ in $(seq 600); do
        [ "$(acknowledged)" -lt $wanted ] || return 0
        sleep 0.1
    done
    echo "after a minute no $1 more transactions were acknowledged"
}
rm -f "$SCRATCH/stop"
writers=
for node in $NAMES; do
    : >"$SCRATCH/acknowledged_$node"
    write $node &
    writers="$writers $!"
done
more 30
for node in $NAMES; do run_documented $node 2; done
more 30
cat "$SCRATCH"/acknowledged_* | sort >"$SCRATCH/before"
run_documented citus_coordinator 3
declare -A segment
for node in $NAMES; do segment[$node]=$(on $node -c 'SELECT pg_walfile_name(pg_current_wal_insert_lsn())'); done
quiet citus_coordinator "SELECT kb_create('later', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
more 30
for node in $NAMES; do
    wait_until $node "SELECT NOT EXISTS (SELECT FROM pg_ls_archive_statusdir() WHERE name ~ 'ready$' AND name < '${segment[$node]}')"
done
for node in $NAMES; do kill_node $node; done
touch "$SCRATCH/stop"
# shellcheck disable=SC2086
wait $writers
for node in $NAMES; do run_documented $node 4; done
at_once start_node
for node in $NAMES; do wait_until $node 'SELECT true'; done
run_documented citus_coordinator 5

for server in citus_coordinator:here citus_worker_1:far citus_worker_2:away; do
    on "${server%:*}" -c "SELECT source_key FROM kb_${server#*:}.document" | sort >"$SCRATCH/present_${server#*:}"
    echo "${server#*:}: acknowledged, but not present: $(comm -23 "$SCRATCH/before" "$SCRATCH/present_${server#*:}" | wc -l)"
done
echo "not on all nodes: $(sort "$SCRATCH"/present_* | uniq -c | grep -cv '^ *3 ')"
echo "acknowledged later, and gone: $(cat "$SCRATCH"/acknowledged_* | sort | comm -23 - "$SCRATCH/present_here" | grep -q . && echo yes)"
for node in $NAMES; do
    on $node -c 'SELECT name FROM kb_list() ORDER BY name' -c 'SELECT count(*) AS reachable, sum(prepared) AS prepared, sum(lost) AS lost, sum(unregistered) AS unregistered FROM kb_rag.cluster WHERE reachable'
    on $node -c 'ALTER SYSTEM SET kb_rag.workers = 2' -c 'SELECT pg_reload_conf()' >/dev/null
done
for base in here far away; do
    wait_until citus_coordinator "SELECT documents > 0 AND indexed = documents AND embedded = chunks FROM kb_rag.status WHERE knowledge_base = '$base'"
    on citus_coordinator -c "SELECT count(*) > 0 AS found FROM kb_search('tea', '$base')" \
        -c "SELECT kb_add('$base', 'Tea again.') IS NOT NULL AS added"
done

quiet citus_coordinator 'SELECT kb_drop(name) FROM kb_list()' >/dev/null
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
for node in $NAMES; do
    for setting in archive_mode archive_command restore_command recovery_target_name recovery_target_action hot_standby; do
        on $node -c "ALTER SYSTEM RESET $setting"
    done
    on $node -c 'ALTER SYSTEM SET kb_rag.workers = 0'
done
at_once restart
for node in $NAMES; do rm -rf "$(data_of $node).backup" "$(data_of $node).old"; done
rm -f "$SCRATCH"/acknowledged_* "$SCRATCH"/present_* "$SCRATCH/before" "$SCRATCH/commands" "$SCRATCH/answers"
