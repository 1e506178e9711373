-- The keyword index are two tables and the index that finds the chunk of a number.
SELECT pg_table_size('{schema}.chunk'),
    pg_total_relation_size('{schema}.keyword_segment') + pg_total_relation_size('{schema}.keyword_run')
        + pg_relation_size('{schema}.chunk_keyword_number'),
    pg_table_size('{schema}.embedding'), pg_relation_size('{schema}.embedding_hnsw')
