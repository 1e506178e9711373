-- The structure of the knowledge base in the schema $1, without OIDs and data: a base of an older version must get the
-- structure that kb_create makes now. Its id, an argument of the triggers, is omitted.
WITH relation AS (
    SELECT c.* FROM pg_catalog.pg_class c WHERE c.relnamespace = pg_catalog.to_regnamespace($1)
)
SELECT r.relname || ' ' || p.property || ' ' || coalesce(p.value, '') AS line
FROM relation r
CROSS JOIN LATERAL (
    SELECT 'kind', pg_catalog.concat_ws(' ', r.relkind, r.reloptions::text, r.relacl::text, r.relrowsecurity, '--', pg_catalog.obj_description(r.oid, 'pg_class'))
    UNION ALL
    SELECT 'column ' || a.attname, pg_catalog.concat_ws(' ', pg_catalog.format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN 'NOT NULL' END, a.attstorage, 'DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid),
        '-- ' || pg_catalog.col_description(r.oid, a.attnum))
    FROM pg_catalog.pg_attribute a
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND r.relkind = 'r'
    UNION ALL
    SELECT 'constraint ' || c.conname, pg_catalog.pg_get_constraintdef(c.oid)
    FROM pg_catalog.pg_constraint c WHERE c.conrelid = r.oid AND c.contype <> 'n'
    UNION ALL
    SELECT 'index', pg_catalog.pg_get_indexdef(r.oid) WHERE r.relkind = 'i'
    UNION ALL
    SELECT 'trigger ' || t.tgname, pg_catalog.regexp_replace(pg_catalog.pg_get_triggerdef(t.oid), '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'ID')
    FROM pg_catalog.pg_trigger t WHERE t.tgrelid = r.oid AND NOT t.tgisinternal
) p (property, value)
ORDER BY 1
