-- Adds the difference between the existing chunks and the sums.
INSERT INTO {schema}.corpus (text_config, chunks, length, changes)
SELECT text_config, sum(chunks), sum(length), abs(sum(chunks))
FROM (
    SELECT text_config, count(*) AS chunks, coalesce(sum(length), 0) AS length FROM {schema}.chunk GROUP BY text_config
    UNION ALL
    SELECT text_config, -sum(chunks), -sum(length) FROM {schema}.corpus GROUP BY text_config
) counted
GROUP BY text_config
HAVING sum(chunks) <> 0 OR sum(length) <> 0
