-- Whether this session may become a role.
SELECT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = $1 AND pg_catalog.pg_has_role(r.oid, 'MEMBER'))
