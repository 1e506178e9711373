-- The documents of the source $1 that may be that of a page: $3, the one under the URL $4, and those with the text and title of the
-- page: key, whether it has them, and whether its metadata is also that of the source.
SELECT id, source_key, is_same, is_same AND is_crawled
FROM (
    SELECT id, source_key, coalesce(content_hash = $5, false) AND title IS NOT DISTINCT FROM $6 AS is_same,
        file_hash IS NOT NULL AND metadata - '{filename,other_urls}'::text[] = ($7 || $8) - '{filename,other_urls}'::text[] AS is_crawled
    FROM {schema}.document
    WHERE source_id = $1 AND source_type = $2 AND source_key IS NOT NULL
) d
WHERE id = $3 OR source_key = $4 OR is_same AND is_crawled
