-- Roles that administer the base with the schema $1.
SELECT DISTINCT coalesce(quote_ident(r.rolname), 'PUBLIC')
FROM pg_namespace n
CROSS JOIN LATERAL aclexplode(n.nspacl) a
LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE n.nspname = $1 AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
