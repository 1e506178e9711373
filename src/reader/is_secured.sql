-- Temporary tables are those of a session, not of the role.
SELECT row_security_active($1::oid) OR EXISTS (SELECT FROM pg_class WHERE oid = $1 AND relpersistence = 't')
