-- Roles other than the owner that read the table $1, and whether they may empty it.
SELECT coalesce(quote_ident(r.rolname), 'PUBLIC'), bool_or(a.privilege_type = 'TRUNCATE')
FROM pg_class f
CROSS JOIN LATERAL aclexplode(f.relacl) a
LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE f.oid = $1::regclass AND a.grantee <> f.relowner AND a.privilege_type IN ('SELECT', 'TRUNCATE')
GROUP BY r.rolname
HAVING bool_or(a.privilege_type = 'SELECT')
ORDER BY 1
