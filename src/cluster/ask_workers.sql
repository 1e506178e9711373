SELECT n.groupid, r.success, r.result
FROM pg_catalog.run_command_on_workers($1) r
JOIN pg_catalog.pg_dist_node n ON n.nodename = r.nodename AND n.nodeport = r.nodeport
