-- Whether role $1, or public, may read the columns $4 of table $3 in schema $2.
SELECT has_schema_privilege($1::name, $2, 'USAGE') AND (
    has_table_privilege($1::name, $3, 'SELECT')
    OR (SELECT bool_and(has_column_privilege($1::name, $3, n.number::int2, 'SELECT')) FROM unnest($4) n (number))
)
