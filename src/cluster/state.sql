SELECT
    (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'kb_rag'),
    (SELECT count(*) FROM pg_catalog.pg_prepared_xacts WHERE database = current_database() AND prepared < now() - interval '1 minute')
