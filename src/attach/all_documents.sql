SELECT CASE WHEN source_type = $2 THEN source_key END AS key, id,
    CASE WHEN $3 THEN sha256(convert_to(json_build_array(content, title, metadata::text)::text, 'UTF8')) END
FROM {schema}.document
WHERE source_id = $1
ORDER BY (CASE WHEN source_type = $2 THEN source_key END) COLLATE "C" NULLS FIRST
