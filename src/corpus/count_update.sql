-- An update of a chunk keeps its text, but may change its text search configuration.
INSERT INTO {schema}.corpus (text_config, chunks, words, changes)
SELECT text_config, sum(n), coalesce(sum(n * words), 0), abs(sum(n))
FROM (
    SELECT text_config, 1 AS n, words FROM new_chunk
    UNION ALL
    SELECT text_config, -1, words FROM old_chunk
) changed
GROUP BY text_config
HAVING sum(n) <> 0 OR coalesce(sum(n * words), 0) <> 0
