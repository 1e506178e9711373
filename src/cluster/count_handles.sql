SELECT count(*)
FROM pg_catalog.pg_dist_shard s
JOIN pg_catalog.pg_dist_placement p ON p.shardid = s.shardid
WHERE s.logicalrelid = 'kb_rag.handle'::regclass AND p.groupid = $1
