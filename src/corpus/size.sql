SELECT text_config, sum(chunks)::int8, sum(words)::int8, sum(changes)::int8
FROM {schema}.corpus
GROUP BY text_config
ORDER BY text_config
