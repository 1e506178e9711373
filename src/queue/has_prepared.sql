SELECT EXISTS (
    SELECT FROM pg_catalog.pg_prepared_xact() p
    WHERE p.dbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
)
