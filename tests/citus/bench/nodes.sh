# shellcheck shell=bash
# How many searches 1, 2 and 3 nodes answer in a second, simulated: each node does one thing at a time for a search, and each statement of a search that reads
# documents takes DELAY milliseconds more. All nodes are on this machine, so the searches themselves share its processors. SEARCHES in all, by CLIENTS
# sessions, which connect to the nodes in turn. Each search is for one base, and each node has one.
DELAY=${DELAY:-200} SEARCHES=${SEARCHES:-72} CLIENTS=${CLIENTS:-12} ROUNDS=${ROUNDS:-3}
# shellcheck disable=SC2154
nodes=(citus_coordinator citus_worker_1 citus_worker_2)
on citus_coordinator -c 'CREATE ROLE kb_citus_reader LOGIN'
for number in 0 1 2; do
    on "${nodes[$number]}" >/dev/null <<SQL
SET client_min_messages = warning;
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
SELECT kb_create('base$number', model => 'fake/test', dimensions => 8);
SELECT kb_add('base$number', 'Tea is hot, text ' || n) FROM generate_series(1, 20) n;
SELECT kb_grant('base$number', 'kb_citus_reader', 'read');
-- Once for each statement: the policy asks in a subquery.
CREATE FUNCTION delay() RETURNS bool LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM pg_advisory_lock(1);
    PERFORM pg_sleep($DELAY / 1000.0);
    PERFORM pg_advisory_unlock(1);
    RETURN true;
END
\$\$;
ALTER TABLE kb_base$number.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY delay ON kb_base$number.document USING ((SELECT public.delay()));
SQL
done
on citus_coordinator -c 'SET client_min_messages = warning' -c 'SELECT kb_cluster_setup()' >/dev/null
# measure NODES: searches in a second, once all sessions have searched on each node.
measure() {
    local client number began clients=
    rm -f "$SCRATCH"/ready_* "$SCRATCH/go"
    for client in $(seq 0 $((CLIENTS - 1))); do
        {
            for number in $(seq $1); do echo "SELECT FROM kb_search('tea', 'base$((number - 1))', 'keyword', match_count => 1);"; done
            echo "\\! touch $SCRATCH/ready_$client; while [ ! -e $SCRATCH/go ]; do sleep 0.05; done"
            for number in $(seq $((SEARCHES / CLIENTS))); do
                echo "SELECT count(*) FROM kb_search('tea', 'base$(((client / $1 + number) % $1))', 'keyword', match_count => 10);"
            done
        } | "$BIN/psql" -XqAt -v ON_ERROR_STOP=1 -h "${socket[${nodes[$((client % $1))]}]}" -U kb_citus_reader -d "$DATABASE" -f - >"$SCRATCH/found_$client" &
        clients="$clients $!"
    done
    while [ "$(find "$SCRATCH" -name 'ready_*' | wc -l)" -lt "$CLIENTS" ]; do sleep 0.1; done
    began=$EPOCHREALTIME
    touch "$SCRATCH/go"
    # shellcheck disable=SC2086
    wait $clients
    awk -v n=$((SEARCHES / CLIENTS * CLIENTS)) -v s="$(seconds_since "$began")" 'BEGIN { printf "%.2f", n / s }'
    [ "$(cat "$SCRATCH"/found_* | grep -c '^10$')" = $((SEARCHES / CLIENTS * CLIENTS)) ] || die "some searches did not find what there is"
    rm -f "$SCRATCH"/found_*
}
echo
echo "simulated: $DELAY ms more for each statement of a search, one at a time on each node"
echo "| round | 1 node, searches/s | 2 nodes | 3 nodes | 2 nodes : 1 | 3 nodes : 1 |"
echo "|---|---|---|---|---|---|"
enough=0
for round in $(seq "$ROUNDS"); do
    one=$(measure 1) && two=$(measure 2) && three=$(measure 3) || exit 1
    awk -v r="$round" -v a="$one" -v b="$two" -v c="$three" 'BEGIN { printf "| %d | %s | %s | %s | %.2f | %.2f |\n", r, a, b, c, b / a, c / a; exit !(b >= 1.8 * a && c >= 2.6 * a) }' &&
        enough=$((enough + 1))
done
on citus_coordinator -c 'SET client_min_messages = warning' -c 'SELECT kb_drop(name) FROM kb_list()' -c 'DROP TABLE kb_rag.handle, kb_rag.placement' >/dev/null
for node in "${nodes[@]}"; do on "$node" -c 'SET citus.enable_ddl_propagation = off' -c 'DROP FUNCTION delay'; done
on citus_coordinator -c 'DROP ROLE kb_citus_reader'
[ "$enough" = "$ROUNDS" ] || die "in some rounds two nodes have less than 1.8 times the throughput of one, or three less than 2.6 times"
