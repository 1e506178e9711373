-- The statements that let roles call the function $1 if they may read all of the tables $2 and may not call it yet. If it $3 is new,
-- others lose what PostgreSQL and default privileges gave them first.
WITH function AS (
    SELECT p.proowner AS owner, coalesce(p.proacl, acldefault('f', p.proowner)) AS acl
    FROM pg_proc p
    WHERE p.oid = $1::regprocedure
), holder AS (
    SELECT DISTINCT a.grantee
    FROM function f
    CROSS JOIN LATERAL aclexplode(f.acl) a
    WHERE a.grantee <> f.owner AND a.privilege_type = 'EXECUTE'
), reader AS (
    {readers}
)
SELECT format(
    CASE s.grants WHEN true THEN 'GRANT EXECUTE ON FUNCTION %s TO %s' ELSE 'REVOKE EXECUTE ON FUNCTION %s FROM %s' END,
    $1, CASE s.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(s.grantee)) END
)
FROM (
    SELECT false AS grants, h.grantee FROM holder h WHERE $3 AND h.grantee NOT IN (SELECT r.grantee FROM reader r)
    UNION ALL
    SELECT true, r.grantee FROM reader r WHERE r.grantee NOT IN (SELECT h.grantee FROM holder h)
) s
ORDER BY s.grants, s.grantee
