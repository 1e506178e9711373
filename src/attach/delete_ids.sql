-- Not documents whose row got another key meanwhile.
DELETE FROM {schema}.document
WHERE source_id = $1 AND id = ANY ($3::uuid[])
    AND (CASE WHEN source_type = $2 THEN source_key END) IS NOT DISTINCT FROM ($4::text[])[array_position($3::uuid[], id)]
