-- The statements that let roles read the view $1, called $3, if they may read all of the tables $2 and do not have it yet.
SELECT format('GRANT SELECT ON TABLE %s TO %s', $3, CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END)
FROM (
    {readers}
) g
WHERE NOT EXISTS (
    SELECT FROM pg_class v
    CROSS JOIN LATERAL aclexplode(v.relacl) a
    WHERE v.oid = $1 AND a.grantee = g.grantee AND a.privilege_type = 'SELECT'
)
ORDER BY g.grantee
