SELECT coalesce(pg_catalog.json_agg(c ORDER BY c.ordinal), '[]')::pg_catalog.text
FROM (
    SELECT c.id AS chunk_id, c.ordinal, c.content, c.heading, c.page, c.start_char, c.end_char, c.token_count,
        -- Not a column of a base of an older version.
        pg_catalog.to_json(c) OPERATOR(pg_catalog.->>) 'context' AS context,
        EXISTS (SELECT FROM {schema}.embedding e WHERE e.chunk_id = c.id) AS embedded
    FROM {schema}.chunk c
    WHERE c.document_id = $1::pg_catalog.uuid
    ORDER BY c.ordinal
    LIMIT $2 OFFSET $3
) c
