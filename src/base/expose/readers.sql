-- The roles that may read all of the tables $2.
SELECT a.grantee
FROM pg_class t
CROSS JOIN LATERAL aclexplode(t.relacl) a
WHERE t.oid = ANY ($2) AND a.privilege_type = 'SELECT' AND a.grantee <> t.relowner
GROUP BY a.grantee
HAVING count(DISTINCT t.oid) = cardinality($2)
