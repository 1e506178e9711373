INSERT INTO {schema}.corpus (text_config, chunks, words, changes)
SELECT text_config, count(*), coalesce(sum(words), 0), count(*) FROM new_chunk GROUP BY text_config
