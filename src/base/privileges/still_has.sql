-- Whether role $1 has the privilege $3, from any source, on the base whose document is $2.
SELECT CASE $3
    WHEN 'read' THEN has_schema_privilege($1::name, d.relnamespace, 'USAGE') AND has_table_privilege($1::name, d.oid, 'SELECT')
    WHEN 'write' THEN has_schema_privilege($1::name, d.relnamespace, 'USAGE')
        AND has_table_privilege($1::name, d.oid, 'INSERT, UPDATE, DELETE')
    ELSE has_schema_privilege($1::name, d.relnamespace, 'CREATE')
END
FROM pg_class d
WHERE d.oid = $2
