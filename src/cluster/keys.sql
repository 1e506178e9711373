SELECT pg_catalog.get_shard_id_for_distribution_column('kb_rag.handle', k), min(k)
FROM pg_catalog.generate_series(1, 4096) k
GROUP BY 1
ORDER BY 1
