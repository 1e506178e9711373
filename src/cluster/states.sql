SELECT n.nodename || ':' || n.nodeport, r.success, r.result
FROM pg_catalog.run_command_on_all_nodes($1) r
JOIN pg_catalog.pg_dist_node n ON n.nodeid = r.nodeid
ORDER BY n.groupid
