SELECT pg_catalog.create_distributed_table('kb_rag.handle', 'key', shard_count => 64, colocate_with => 'none');
INSERT INTO kb_rag.handle (key)
SELECT pg_catalog.min(k)
FROM pg_catalog.generate_series(1, 4096) k
GROUP BY pg_catalog.get_shard_id_for_distribution_column('kb_rag.handle', k)
