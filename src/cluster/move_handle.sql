SELECT pg_catalog.citus_move_shard_placement(most.shardid, most.nodeid, $1, 'block_writes')
FROM (
    SELECT min(p.shardid) AS shardid, n.nodeid
    FROM pg_catalog.pg_dist_shard s
    JOIN pg_catalog.pg_dist_placement p ON p.shardid = s.shardid
    JOIN pg_catalog.pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
    WHERE s.logicalrelid = 'kb_rag.handle'::regclass
    GROUP BY n.nodeid
    ORDER BY count(*) DESC
    LIMIT 1
) most
