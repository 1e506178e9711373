-- The table named $1, its owner, whether it has the columns $4 and a primary key, and whether the role $2 may read
-- those of the columns $3 that it has, in all rows.
SELECT r.oid, r.relowner,
    (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = ANY ($4::name[]))
            = (SELECT count(DISTINCT name) FROM unnest($4) name)
        AND EXISTS (SELECT FROM pg_index x WHERE x.indrelid = r.oid AND x.indisprimary),
    pg_has_role($2, r.relowner, 'USAGE') OR (
        has_schema_privilege($2, r.relnamespace, 'USAGE') AND NOT r.relrowsecurity
        AND NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = r.oid AND a.attname = ANY ($3::name[]) AND NOT has_column_privilege($2, r.oid, a.attnum, 'SELECT')
        )
    )
FROM pg_class r
JOIN pg_namespace n ON n.oid = r.relnamespace
WHERE format('%I.%I', n.nspname, r.relname) = $1 AND r.relkind IN ('r', 'p')
