-- The columns of a table, which of them hold vectors or jsonb, the dimensions that a vector column declares, whether the caller
-- may read the column, and the kind and lists of its approximate index, the one with most lists if there are several.
SELECT a.attname::text, a.atttypid, a.atttypmod, has_column_privilege(a.attrelid, a.attnum, 'SELECT'), i.method, i.lists
FROM pg_attribute a
LEFT JOIN LATERAL (
    SELECT m.amname::text AS method,
        (SELECT o.option_value::int FROM pg_options_to_table(c.reloptions) o WHERE o.option_name = 'lists') AS lists
    FROM pg_index x
    JOIN pg_class c ON c.oid = x.indexrelid
    JOIN pg_am m ON m.oid = c.relam
    WHERE x.indrelid = a.attrelid AND x.indisvalid AND a.attnum = ANY (x.indkey) AND m.amname IN ('hnsw', 'ivfflat')
    ORDER BY 2 DESC NULLS LAST
    LIMIT 1
) i ON true
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
