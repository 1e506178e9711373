SELECT p.shardid FROM pg_catalog.pg_dist_placement p WHERE p.groupid = $1 AND p.shardid = ANY ($2)
