# shellcheck shell=bash
# A transaction over two nodes and a local table, where a server is killed before, amid and after PREPARE TRANSACTION: all of it stays,
# or nothing, nothing stays prepared, and every document gets its vector. Where PREPARE TRANSACTION or COMMIT wait for a standby that
# does not exist, the kill comes at that very place.
quiet() { on "$1" -c 'SET client_min_messages = warning' -c "$2"; }
SYNCHRONOUS="SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
# hold NODE, release NODE: what commits or prepares there waits.
hold() { on "$1" -c "ALTER SYSTEM SET synchronous_standby_names = 'nobody'" -c 'SELECT pg_reload_conf()' >/dev/null; }
release() { on "$1" -c 'ALTER SYSTEM RESET synchronous_standby_names' -c 'SELECT pg_reload_conf()' >/dev/null; }
start_again() { start_node "$1" >/dev/null 2>&1; }

# attempt ORIGIN BASE KEY: a transaction that waits before its COMMIT for the file `go`.
attempt() {
    rm -f "$SCRATCH/go" "$SCRATCH/ready"
    on "$1" >/dev/null 2>&1 <<SQL &
SET client_min_messages = warning;
BEGIN;
INSERT INTO kb_citus_ledger VALUES ('$3');
SELECT kb_add('$2', 'Tea $3.', source_key => '$3');
SELECT kb_add('far', 'Tea $3.', source_key => '$3');
\\! touch $SCRATCH/ready; for i in \$(seq 600); do [ ! -e $SCRATCH/go ] || break; sleep 0.1; done
COMMIT;
SQL
    session=$!
    for _ in $(seq 300); do [ ! -e "$SCRATCH/ready" ] || break; sleep 0.1; done
}
# outcome ORIGIN BASE KEY: how many rows are in the three places, once both servers are there and nothing is prepared.
outcome() {
    local nothing='SELECT count(*) = 0 FROM pg_prepared_xacts'
    wait_until "$1" 'SELECT true'
    wait_until citus_worker_1 "$nothing"
    wait_until "$1" "$nothing"
    wait "$session" || true
    echo "$3: $(on "$1" -c "SELECT count(*) FROM kb_citus_ledger WHERE key = '$3'") $(on "$1" -c "SELECT count(*) FROM kb_$2.document WHERE source_key = '$3'") $(on citus_worker_1 -c "SELECT count(*) FROM kb_far.document WHERE source_key = '$3'")"
}

for server in citus_coordinator:here citus_worker_1:far citus_worker_2:away; do
    on "${server%:*}" -c 'SET client_min_messages = warning' -c "SET citus.enable_ddl_propagation = off" \
        -c "SELECT kb_create('${server#*:}', model => 'fake/test', dimensions => 8, embed => 'queued') IS NOT NULL" -c 'CREATE TABLE kb_citus_ledger (key text)'
done
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null

for server in citus_coordinator:here citus_worker_2:away; do
    origin=${server%:*} base=${server#*:}
    for victim in "$origin" citus_worker_1; do
        name=origin
        [ "$victim" = "$origin" ] || name=node
        attempt "$origin" "$base" "$base: $name killed before PREPARE"
        kill_node "$victim"
        touch "$SCRATCH/go"
        start_again "$victim"
        outcome "$origin" "$base" "$base: $name killed before PREPARE"

        attempt "$origin" "$base" "$base: $name killed amid PREPARE"
        hold citus_worker_1
        touch "$SCRATCH/go"
        wait_until citus_worker_1 "$SYNCHRONOUS"
        on citus_worker_1 -c 'SELECT count(*) AS prepared FROM pg_prepared_xacts'
        kill_node "$victim"
        start_again "$victim"
        release citus_worker_1
        outcome "$origin" "$base" "$base: $name killed amid PREPARE"

        attempt "$origin" "$base" "$base: $name killed after PREPARE"
        hold "$origin"
        touch "$SCRATCH/go"
        wait_until "$origin" "$SYNCHRONOUS"
        on citus_worker_1 -c 'SELECT count(*) AS prepared FROM pg_prepared_xacts'
        kill_node "$victim"
        if [ "$victim" = "$origin" ]; then start_again "$victim"; fi
        release "$origin"
        if [ "$victim" != "$origin" ]; then start_again "$victim"; fi
        outcome "$origin" "$base" "$base: $name killed after PREPARE"
    done
done

echo "-- no job is lost"
for node in citus_coordinator citus_worker_1 citus_worker_2; do
    on $node -c 'ALTER SYSTEM SET kb_rag.workers = 2' -c 'SELECT pg_reload_conf()' >/dev/null
done
# A call of kb_rag after a restart starts a worker.
for base in here far away; do
    wait_until citus_coordinator "SELECT documents > 0 AND indexed = documents AND embedded = chunks FROM kb_rag.status WHERE knowledge_base = '$base'"
    on citus_coordinator -c "SELECT knowledge_base, documents, indexed, chunks, embedded FROM kb_rag.status WHERE knowledge_base = '$base'"
done
for node in citus_coordinator citus_worker_1 citus_worker_2; do
    on $node -c 'ALTER SYSTEM SET kb_rag.workers = 0' -c 'SELECT pg_reload_conf()' >/dev/null
    on $node -c "SET citus.enable_ddl_propagation = off" -c 'DROP TABLE kb_citus_ledger'
done
quiet citus_coordinator 'SELECT kb_drop(name) FROM kb_list()' >/dev/null
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
