-- The functions that kb_grant_admin grants: those from which the install script revokes EXECUTE from PUBLIC, except the two
-- that grant and revoke it, and the one for superusers. Later grants and revokes do not count.
SELECT p.oid::regprocedure::text
FROM pg_extension e
JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND p.pronamespace = e.extnamespace
JOIN pg_init_privs i ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid AND i.objsubid = 0
WHERE e.extname = 'kb_rag' AND p.proname <> ALL ('{kb_grant_admin,kb_revoke_admin,kb_cluster_setup}')
    AND NOT EXISTS (SELECT FROM aclexplode(i.initprivs) a WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
ORDER BY p.proname
