SELECT extversion FROM pg_catalog.pg_extension WHERE oid OPERATOR(pg_catalog.=) $1
