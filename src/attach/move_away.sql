-- To keys that no row has, so that rows can exchange keys. Not a join with the keys: it could be planned before there are
-- documents.
UPDATE {schema}.document
SET source_key = {moving} || ($4::text[])[array_position($3::text[], source_key)]
WHERE source_id = $1 AND source_type = $2 AND source_key = ANY ($3::text[])
RETURNING id
