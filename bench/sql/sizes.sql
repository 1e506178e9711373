SELECT pg_table_size('{schema}.chunk'), (
        SELECT sum(pg_relation_size(i.indexrelid))::int8
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_am a ON a.oid = c.relam
        WHERE i.indrelid = '{schema}.chunk'::regclass AND a.amname = 'gin' AND c.relname <> 'chunk_metadata'
    ), pg_table_size('{schema}.embedding'), pg_relation_size('{schema}.embedding_hnsw')
