SELECT oid FROM pg_catalog.pg_class
WHERE relnamespace OPERATOR(pg_catalog.=) $1 AND relkind OPERATOR(pg_catalog.=) 'r'
