SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid OPERATOR(pg_catalog.=) $1 AND relname OPERATOR(pg_catalog.=) $2)
