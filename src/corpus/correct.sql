-- Adds the difference between the existing chunks and the sums.
INSERT INTO {schema}.corpus (text_config, chunks, words, changes)
SELECT text_config, sum(chunks), sum(words), abs(sum(chunks))
FROM (
    SELECT text_config, count(*) AS chunks, coalesce(sum(words), 0) AS words FROM {schema}.chunk GROUP BY text_config
    UNION ALL
    SELECT text_config, -sum(chunks), -sum(words) FROM {schema}.corpus GROUP BY text_config
) counted
GROUP BY text_config
HAVING sum(chunks) <> 0 OR sum(words) <> 0
