# shellcheck shell=bash
# What a search costs: on a server without Citus, on a node of a cluster that has the base, and through another node. The three take turns.
# CHUNKS, ROUNDS and SEARCHES set the size.
CHUNKS=${CHUNKS:-10000} ROUNDS=${ROUNDS:-5} SEARCHES=${SEARCHES:-200}
# shellcheck disable=SC2154,SC2004
socket[citus_plain]=$(dev/cluster start citus_plain -c max_worker_processes=64)
plain=("$BIN/psql" -XqAt -h "${socket[citus_plain]}" -U postgres)
"${plain[@]}" -d postgres -c "CREATE DATABASE $DATABASE" >/dev/null
on citus_plain -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION kb_rag CASCADE'
for node in citus_plain citus_worker_1; do
    on $node >/dev/null <<SQL
SET client_min_messages = warning;
SET citus.enable_ddl_propagation = off;
SELECT kb_create('far', model => 'fake/test', dimensions => 64);
SELECT setseed(0.5);
INSERT INTO kb_far.document (title, content)
SELECT 'Text ' || n, (SELECT string_agg('word' || (random() ^ 3 * 5000)::int, ' ') FROM generate_series(1, 60 + n * 0) w) FROM generate_series(1, $CHUNKS) n;
CALL kb_work();
VACUUM ANALYZE;
SQL
done
on citus_coordinator -c 'SET client_min_messages = warning' -c 'SELECT kb_cluster_setup()' >/dev/null
for node in citus_plain citus_worker_1 citus_coordinator; do
    on $node >/dev/null <<'SQL'
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
-- The median of so many searches, in milliseconds.
CREATE FUNCTION median_of(mode text, searches int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    times float8[];
    began timestamptz;
BEGIN
    PERFORM setseed(0.25);
    FOR n IN 1 .. searches LOOP
        began := clock_timestamp();
        PERFORM count(*) FROM kb_search('word' || (random() * 5000)::int || ' word' || (random() * 5000)::int, 'far', mode);
        times := times || 1000 * extract(epoch FROM clock_timestamp() - began)::float8;
    END LOOP;
    RETURN round((SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(times) t)::numeric, 3);
END
$$;
SQL
done
echo "| mode | round | without Citus, ms | on its node, ms | through another node, ms |"
echo "|---|---|---|---|---|"
for mode in keyword hybrid; do
    for round in $(seq "$ROUNDS"); do
        row="| $mode | $round |"
        for node in citus_plain citus_worker_1 citus_coordinator; do
            row="$row $(on $node -c "SELECT median_of('$mode', 20)" -c "SELECT median_of('$mode', $SEARCHES)" | tail -n 1) |"
        done
        echo "$row"
    done
done
dev/cluster remove citus_plain
on citus_coordinator -c 'SET client_min_messages = warning' -c "SELECT kb_drop('far')" -c 'DROP TABLE kb_rag.handle, kb_rag.placement' >/dev/null
