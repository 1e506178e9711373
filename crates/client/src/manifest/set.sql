-- Sets a parameter for the transaction, if this version of pgvector has it.
SELECT pg_catalog.set_config(s.name, $2, true) FROM pg_catalog.pg_settings s WHERE s.name OPERATOR(pg_catalog.=) $1
