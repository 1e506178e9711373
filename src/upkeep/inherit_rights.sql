-- The statements that give the table $1 the grants and row security of the table $2; both are qualified and quoted.
WITH source AS (
    SELECT r.* FROM pg_class r WHERE r.oid = $2::regclass
)
SELECT statement
FROM (
    SELECT 1, format('GRANT %s ON %s TO %s%s', a.privilege_type, $1, g.grantee, g.option)
    FROM source s
    CROSS JOIN LATERAL aclexplode(s.relacl) a
    CROSS JOIN LATERAL (
        SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee,
            CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
    ) g
    WHERE a.grantee <> s.relowner
    UNION ALL
    SELECT 2, format('GRANT %s (%I) ON %s TO %s%s', a.privilege_type, c.attname, $1, g.grantee, g.option)
    FROM source s
    JOIN pg_attribute c ON c.attrelid = s.oid AND c.attnum > 0 AND NOT c.attisdropped
    CROSS JOIN LATERAL aclexplode(c.attacl) a
    CROSS JOIN LATERAL (
        SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee,
            CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
    ) g
    UNION ALL
    SELECT 3, 'ALTER TABLE ' || $1 || ' ENABLE ROW LEVEL SECURITY' FROM source s WHERE s.relrowsecurity
    UNION ALL
    SELECT 4, 'ALTER TABLE ' || $1 || ' FORCE ROW LEVEL SECURITY' FROM source s WHERE s.relforcerowsecurity
) t (position, statement)
ORDER BY position
