-- A document that still has one of the new keys belongs to a row that is gone.
DELETE FROM {schema}.document
WHERE source_id = $1 AND source_type = $2
    AND source_key = ANY (ARRAY(SELECT substr(source_key, length({moving}) + 1) FROM {schema}.document WHERE id = ANY ($3)))
