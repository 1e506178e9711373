# shellcheck shell=bash
# A base is moved to another server under a writer, as the manual says (docs/growing.md): what was acknowledged is there, answers stay.
quiet() { on "$1" -c 'SET client_min_messages = warning' -c "$2"; }
quiet citus_worker_1 "SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL" >/dev/null
quiet citus_coordinator 'SELECT kb_cluster_setup()' >/dev/null
quiet citus_coordinator 'CREATE ROLE kb_citus_reader LOGIN'
quiet citus_coordinator "SELECT kb_grant('far', 'kb_citus_reader', 'read')" >/dev/null
for word in zebra lemon 'zebra zebra'; do quiet citus_coordinator "SELECT kb_add('far', 'A $word is here.') IS NOT NULL" >/dev/null; done
answers="SELECT content, similarity FROM kb_search('zebra', 'far', 'semantic', filter => '{\"writer\": null}')"
quiet citus_coordinator "$answers" >"$SCRATCH/before"
rm -f "$SCRATCH/stop"
number=0
while [ ! -e "$SCRATCH/stop" ]; do
    number=$((number + 1))
    echo "SELECT '$number' FROM kb_add('far', 'Text number $number.', source_key => '$number', metadata => '{\"writer\": 1}');"
    [ $((number % 50)) != 0 ] || sleep 0.1
done | on citus_coordinator >"$SCRATCH/acknowledged" 2>"$SCRATCH/errors" &
writer=$!
# enough MORE: waits for more documents that are acknowledged.
enough() {
    local wanted
    wanted=$(($(wc -l <"$SCRATCH/acknowledged") + $1))
    for _ in $(seq 300); do
        [ "$(wc -l <"$SCRATCH/acknowledged")" -lt $wanted ] || return 0
        sleep 0.1
    done
    echo "after half a minute no $1 more documents were acknowledged"
}
enough 50
on citus_worker_1 <<SQL
SET client_min_messages = warning;
BEGIN;
LOCK TABLE kb_far.document IN EXCLUSIVE MODE;
\\! $BIN/pg_dump -h $WORKER_1 -U postgres -n kb_far $DATABASE >$SCRATCH/kb_far.sql
\\! PGOPTIONS='-c citus.enable_ddl_propagation=off -c citus.enable_schema_based_sharding=off' $BIN/psql -XqAt -v ON_ERROR_STOP=1 -h $WORKER_2 -U postgres -d $DATABASE -f $SCRATCH/kb_far.sql >/dev/null
\\! $BIN/psql -XqAt -h $WORKER_2 -U postgres -d $DATABASE -c "SELECT kb_adopt('kb_far', name => 'far_moving') IS NOT NULL AS adopted"
SELECT kb_drop('far');
SELECT kb_rename('far_moving', 'far');
COMMIT;
SQL
enough 50
touch "$SCRATCH/stop"
wait $writer
on citus_coordinator -c "SELECT name, node = '$WORKER_2:5432' AS moved FROM kb_list()"
on citus_worker_2 -c 'SELECT source_key FROM kb_far.document' | sort >"$SCRATCH/present"
echo "acknowledged, but not present: $(sort "$SCRATCH/acknowledged" | comm -23 - "$SCRATCH/present" | wc -l)"
quiet citus_coordinator "$answers" | diff - "$SCRATCH/before" && echo "the same answers"
on citus_coordinator -c 'SET ROLE kb_citus_reader' -c "SELECT count(*) FROM kb_search('lemon', 'far', 'keyword')"
on citus_coordinator -c "SELECT node = '$WORKER_1:5432' AS old, lost, unregistered FROM kb_rag.cluster"
quiet citus_coordinator "SELECT kb_drop('far')" >/dev/null
quiet citus_coordinator 'DROP ROLE kb_citus_reader'
quiet citus_coordinator 'DROP TABLE kb_rag.handle, kb_rag.placement'
rm -f "$SCRATCH/acknowledged" "$SCRATCH/errors" "$SCRATCH/present" "$SCRATCH/before" "$SCRATCH/kb_far.sql"
