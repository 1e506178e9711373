-- Whether the caller may add documents to a base, which it may read.
SELECT EXISTS (
    SELECT FROM {extension}.kb_list() b
    JOIN pg_catalog.pg_namespace n ON n.nspname = b.schema
    JOIN pg_catalog.pg_class d ON d.relnamespace = n.oid AND d.relname = 'document'
    WHERE b.name = $1 AND pg_catalog.has_table_privilege(d.oid, 'INSERT')
)
