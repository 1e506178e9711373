-- The statements that make the policies of the table $1, which is qualified and quoted, for another one that has its name by then: queries in
-- policies name it.
SELECT statement
FROM pg_policy p
CROSS JOIN LATERAL (VALUES (1, format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s',
        p.polname, $1,
        CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
        CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
        (SELECT string_agg(CASE role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(role)) END, ', ') FROM unnest(p.polroles) role),
        ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
        ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')),
    (2, 'COMMENT ON POLICY ' || quote_ident(p.polname) || ' ON ' || $1 || ' IS ' || quote_literal(obj_description(p.oid, 'pg_policy')))
) s (position, statement)
WHERE p.polrelid = $1::regclass AND statement IS NOT NULL
ORDER BY p.polname, position
