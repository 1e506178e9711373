-- Roles other than the owner that have privileges on a table, as default privileges give them.
SELECT DISTINCT coalesce(quote_ident(r.rolname), 'PUBLIC')
FROM pg_class f
CROSS JOIN LATERAL aclexplode(f.relacl) a
LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE f.oid = $1::regclass AND a.grantee <> f.relowner
