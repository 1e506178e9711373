-- Whether this session may become a role.
SELECT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = $1 AND pg_catalog.pg_has_role(r.oid,
    CASE WHEN pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 160000 THEN 'SET' ELSE 'MEMBER' END))
