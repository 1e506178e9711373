SELECT pg_relation_size({name}::regclass) / current_setting('block_size')::int8, (SELECT count(*) FROM {schema}.{table})
