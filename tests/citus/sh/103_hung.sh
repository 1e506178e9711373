# shellcheck shell=bash
# A node whose processes are stopped: who has to connect to it waits for citus.node_connection_timeout, who has a connection until the
# processes end. The others go on.
quiet() { on "$1" -v VERBOSITY=terse -c 'SET client_min_messages = warning' -c "$2"; }
for server in citus_coordinator:here citus_worker_1:far citus_worker_2:away; do
    quiet "${server%:*}" "SELECT kb_create('${server#*:}', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
done
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null
for base in here far away; do quiet citus_coordinator "SELECT kb_add('$base', 'Tea is hot.') IS NOT NULL" >/dev/null; done
ALL="SELECT knowledge_base FROM kb_search('tea', knowledge_bases => '{here,far,away}', mode => 'keyword') ORDER BY 1"
# stop_node NAME, go_on NAME: all processes of a server, the postmaster first, which then starts no others.
stop_node() {
    stopped=$(head -n 1 "$(data_of "$1")/postmaster.pid")
    kill -STOP "$stopped"
    # shellcheck disable=SC2046
    kill -STOP $(ps -o pid= --ppid "$stopped")
}
# shellcheck disable=SC2046
go_on() { kill -CONT "$stopped" $(ps -o pid= --ppid "$stopped"); }
# in_time SECONDS COMMAND…: and whether it ended within so many seconds, far below the 30 that Citus waits for by default.
in_time() {
    local began=$EPOCHREALTIME limit=$1
    shift
    "$@"
    awk -v took="$(seconds_since "$began")" -v limit="$limit" 'BEGIN { print (took < limit ? "in time" : "only after " took " s") }'
}

echo "-- the settings of the manual are accepted"
documented 'What if a node hangs?' 1 | sed 's/^/ALTER SYSTEM SET /; s/$/;/; s/sslmode=require/sslmode=prefer/' >"$SCRATCH/statements"
sed 's/ *=.*/;/; s/SET/RESET/' "$SCRATCH/statements" | cat "$SCRATCH/statements" - >"$SCRATCH/both"
on citus_coordinator -a -f "$SCRATCH/both" 2>&1

echo "-- a session that has to connect"
stop_node citus_worker_1
in_time 15 on citus_coordinator -v VERBOSITY=terse -c "SET citus.node_connection_timeout = '1s'" -c 'SET kb_rag.partial_results = on' -c "$ALL" 2>&1
in_time 15 on citus_coordinator -c "SET citus.node_connection_timeout = '1s'" -c "SELECT state, position('$WORKER_1:5432' IN message) > 0 AS has_address FROM error_of(\$\$$ALL\$\$)" 2>&1
in_time 15 on citus_coordinator -c "SET citus.node_connection_timeout = '1s'" -c "SELECT state, position('$WORKER_1:5432' IN message) > 0 AS has_address FROM error_of(\$\$SELECT kb_add('far', 'More tea.')\$\$)" 2>&1
quiet citus_coordinator "SELECT knowledge_base FROM kb_search('tea', knowledge_bases => '{here,away}', mode => 'keyword') ORDER BY 1"
quiet citus_worker_2 "SELECT kb_add('here', 'More tea.') IS NOT NULL AS added"
go_on

# session NAME SETTING: a session that searches, twice, the second time when the file `go` is there.
session() {
    cat >"$SCRATCH/statements" <<SQL
\\set VERBOSITY terse
SET client_min_messages = warning;
SET kb_rag.partial_results = on;
SET citus.node_connection_timeout = '1s';
SET application_name = '$1';
$2;
$ALL;
\\! touch $SCRATCH/connected; while [ ! -e $SCRATCH/go ]; do sleep 0.1; done
$ALL;
\\! touch $SCRATCH/ended; while [ ! -e $SCRATCH/again ]; do sleep 0.1; done
RESET statement_timeout;
$ALL;
SQL
    rm -f "$SCRATCH/connected" "$SCRATCH/go" "$SCRATCH/ended" "$SCRATCH/again"
    on citus_coordinator -f "$SCRATCH/statements" >"$SCRATCH/session" 2>&1 &
    session=$!
    wait_for_file connected
}
wait_for_file() { for _ in $(seq 600); do [ ! -e "$SCRATCH/$1" ] || return 0; sleep 0.1; done; echo "no $1 after a minute"; }
end_session() {
    touch "$SCRATCH/again"
    wait $session
    sed 's/^psql:[^ ]* //' "$SCRATCH/session"
}
echo "-- a session that keeps no connection"
session keeps_none "SET citus.max_cached_conns_per_worker = 0"
stop_node citus_worker_1
touch "$SCRATCH/go"
in_time 15 wait_for_file ended
go_on
end_session

echo "-- a session that has a connection, and a server that answers, but waits for a lock"
session waits "SET statement_timeout = '1s'"
on citus_worker_1 >/dev/null <<SQL &
BEGIN;
LOCK TABLE kb_far.document, kb_far.chunk, kb_far.keyword_segment;
\\! touch $SCRATCH/locked; while [ ! -e $SCRATCH/ended ]; do sleep 0.1; done
COMMIT;
SQL
wait_for_file locked
touch "$SCRATCH/go"
in_time 15 wait_for_file ended
end_session

echo "-- a session that has a connection, and a server that hangs, until its processes are killed"
session hangs "SET statement_timeout = '1s'"
stop_node citus_worker_1
touch "$SCRATCH/go"
wait_until citus_coordinator "SELECT clock_timestamp() - query_start > '6s' FROM pg_stat_activity WHERE application_name = 'hangs' AND state = 'active'"
quiet citus_coordinator "SELECT knowledge_base FROM kb_search('tea', knowledge_bases => '{here,away}', mode => 'keyword', max_per_document => 1, match_count => 1)"
kill_node citus_worker_1
wait_for_file ended
start_node citus_worker_1 >/dev/null 2>&1
wait_until citus_coordinator "SELECT count(*) = 1 FROM kb_search('tea', 'far', 'keyword')"
end_session

quiet citus_coordinator 'SELECT kb_drop(name) FROM kb_list()' >/dev/null
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
rm -f "$SCRATCH/connected" "$SCRATCH/go" "$SCRATCH/ended" "$SCRATCH/again" "$SCRATCH/locked" "$SCRATCH/session" "$SCRATCH/statements" "$SCRATCH/both"
