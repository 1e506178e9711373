# shellcheck shell=bash
# A node that goes while a call is there: 08006 with its address, whatever it was about to do.
quiet() { on "$1" -v VERBOSITY=sqlstate -c 'SET client_min_messages = warning' -c "$2"; }
quiet citus_coordinator "SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_worker_1 "SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_worker_2 "SELECT kb_create('away', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_coordinator "SELECT kb_cluster_setup()"
for base in here far away; do quiet citus_coordinator "SELECT kb_add('$base', 'Tea is hot.') IS NOT NULL AS added"; done
# during HOW psql-option…: what the session prints whose call waits for a lock on worker 2 when that goes.
during() {
    local how=$1 session waits
    shift
    waits='pg_locks WHERE NOT granted'
    on citus_worker_2 -c BEGIN -c 'LOCK TABLE kb_away.document' -c 'SELECT pg_sleep(60)' >/dev/null 2>&1 &
    wait_until citus_worker_2 "SELECT EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'kb_away.document'::regclass)"
    on citus_coordinator -v VERBOSITY=verbose -v SHOW_CONTEXT=never -c 'SET client_min_messages = error' "$@" >"$SCRATCH/printed" 2>&1 &
    session=$!
    wait_until citus_worker_2 "SELECT EXISTS (SELECT FROM $waits)"
    case $how in
    terminate)
        on citus_worker_2 -c "SELECT pg_terminate_backend(pid) FROM $waits LIMIT 1" >/dev/null
        on citus_worker_2 -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'" >/dev/null
        ;;
    kill) kill -9 "$(on citus_worker_2 -c "SELECT pid FROM $waits LIMIT 1")" ;;
    *) dev/cluster run "$BIN/pg_ctl" -s -w -D "$TARGET/cluster/citus_worker_2-18/data" stop -m "$how" >/dev/null 2>&1 ;;
    esac
    wait "$session"
    echo "-- $how"
    # Citus's own message has a second line.
    sed -n -e "s,.*\(ERROR:  [0-9A-Z]*\):.*$WORKER_2:5432.*,\1 with its address,p; t" -e '/^ERROR/p; /^Tea/p; /^[a-z]*$/p' "$SCRATCH/printed"
    start_node citus_worker_2 >/dev/null 2>&1
    wait_until citus_coordinator "SELECT count(*) = 1 FROM kb_search('tea', 'away', 'keyword')"
}
search="SELECT content FROM kb_search('tea', knowledge_bases => '{here,far,away}', mode => 'keyword')"
for how in terminate kill fast immediate; do during $how -c "$search"; done
echo "-- in a transaction"
for how in terminate fast; do during $how -c BEGIN -c "SELECT count(*) = 2 FROM kb_search('tea', knowledge_bases => '{here,far}')" -c "$search"; done
echo "-- shipped"
during terminate -c "SELECT content FROM kb_search('tea', 'away', mode => 'keyword')"
during terminate -c "SELECT kb_configure('away', chunk_size => 300)"
echo "-- left out"
during terminate -c 'SET kb_rag.partial_results = on' -c "SELECT knowledge_base FROM kb_search('tea', knowledge_bases => '{here,far,away}', mode => 'keyword')"
quiet citus_coordinator "SELECT kb_drop(name) FROM kb_list()"
quiet citus_coordinator "DROP TABLE kb_rag.handle, kb_rag.placement"
