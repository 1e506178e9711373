INSERT INTO {schema}.corpus (text_config, chunks, words, changes)
SELECT text_config, count(*), sum(words), count(*) FROM new_chunk GROUP BY text_config
