SELECT n.groupid, n.nodeid, n.nodename, n.nodeport, n.shouldhaveshards
FROM pg_catalog.pg_dist_node n
WHERE n.isactive AND n.noderole = 'primary'
ORDER BY n.groupid
