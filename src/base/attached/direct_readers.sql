-- The roles with SELECT on a table of the base with schema $1, or on the view of kb_expose, to which row security of a relation
-- among $2 applies, or, if $3, of a table that was dropped.
SELECT string_agg(DISTINCT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(o.rolname) END, ', ')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1
CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
LEFT JOIN pg_roles o ON o.oid = x.grantee
WHERE c.relkind IN ('r', 'v') AND (c.relname IN ('document', 'chunk', 'collection') OR c.relname ~ '^embedding')
    AND x.privilege_type = 'SELECT' AND (x.grantee = 0 OR NOT (o.rolsuper OR o.rolbypassrls))
    AND ($3 OR EXISTS (
        SELECT FROM unnest($2) s (relation)
        JOIN pg_class t ON t.oid = s.relation
        WHERE x.grantee = 0 OR t.relforcerowsecurity OR NOT pg_has_role(x.grantee, t.relowner, 'USAGE')
    ))
