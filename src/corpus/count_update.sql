-- An update of a chunk keeps its text, but may change its text search configuration.
INSERT INTO {schema}.corpus (text_config, chunks, length, changes)
SELECT text_config, sum(n), coalesce(sum(n * length), 0), abs(sum(n))
FROM (
    SELECT text_config, 1 AS n, length FROM new_chunk
    UNION ALL
    SELECT text_config, -1, length FROM old_chunk
) changed
GROUP BY text_config
HAVING sum(n) <> 0 OR coalesce(sum(n * length), 0) <> 0
