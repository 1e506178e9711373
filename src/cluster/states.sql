SELECT n.nodename || ':' || n.nodeport, r.success, r.result
FROM pg_catalog.run_command_on_all_nodes('SELECT kb_rag.node_state()') r
JOIN pg_catalog.pg_dist_node n ON n.nodeid = r.nodeid
ORDER BY n.groupid
