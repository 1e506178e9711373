SELECT CASE WHEN source_type = $2 THEN source_key END AS key, id,
    CASE WHEN $3 THEN {hash} END, {vector}::real[]
FROM {schema}.document d
{vectors}
WHERE source_id = $1
ORDER BY (CASE WHEN source_type = $2 THEN source_key END) COLLATE "C" NULLS FIRST
