-- Beside Citus: what the files of tests/citus use. Run on each node; Citus is not to make any of it elsewhere.
SET citus.enable_ddl_propagation = off;
SET citus.enable_metadata_sync = off;
-- How a statement ends: its SQLSTATE and message.
CREATE FUNCTION error_of(statement text, OUT state text, OUT message text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    state := '00000';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END
$$;
-- The schemas of bases on each node, the coordinator included.
CREATE VIEW schemas AS
SELECT CASE n.nodename WHEN c.nodename THEN 'coordinator' ELSE 'worker' END AS node, r.result
FROM run_command_on_all_nodes($$SELECT coalesce(string_agg(nspname, ' ' ORDER BY nspname), '') FROM pg_namespace WHERE nspname ~ '^(kb_|plain)' AND nspname <> 'kb_rag'$$) r
JOIN pg_dist_node n USING (nodeid)
CROSS JOIN (SELECT nodename FROM pg_dist_node WHERE groupid = 0) c;
-- The schemas that Citus has on all nodes, or distributes.
CREATE VIEW citus_schemas_of_bases AS
SELECT n.nspname, s.schemaid IS NOT NULL AS is_distributed
FROM pg_namespace n
JOIN pg_dist_object o ON o.classid = 'pg_namespace'::regclass AND o.objid = n.oid
LEFT JOIN pg_dist_schema s ON s.schemaid = n.oid
WHERE n.nspname <> 'kb_rag' AND n.nspname ~ '^(kb_|plain)';
