-- A table with row security, or that had it when it was dropped, and whose triggers are gone; and one that is followed.
INSERT INTO kb_rag.attached_table (source_id, knowledge_base_id, location, relation, uses, labels, names, numbers, source_type, row_security, row_secured{key_types}{options_column})
SELECT $1, $2, $3, 0, $4, $5, $6, array_fill(0, ARRAY[cardinality($6)]), $7, $8, $9{types}{options}
WHERE {follows} OR $8 = 'refuse' AND (
    $9 AND to_regclass($3) IS NULL
    OR EXISTS (
        WITH RECURSIVE above (relation) AS (
            SELECT to_regclass($3)::oid
            UNION SELECT i.inhparent FROM above t JOIN pg_inherits i ON i.inhrelid = t.relation
        ),
        below (relation) AS (
            SELECT to_regclass($3)::oid
            UNION SELECT i.inhrelid FROM below t JOIN pg_inherits i ON i.inhparent = t.relation
        )
        SELECT FROM (SELECT * FROM above UNION SELECT * FROM below) t
        JOIN pg_class r ON r.oid = t.relation AND r.relrowsecurity
    )
)
ON CONFLICT (source_id) DO NOTHING
