SELECT pg_catalog.has_schema_privilege($1, $2, 'USAGE')
    AND pg_catalog.has_table_privilege($1, $3, 'INSERT')
    AND (NOT $4 OR pg_catalog.has_table_privilege($1, $3, 'UPDATE'))
