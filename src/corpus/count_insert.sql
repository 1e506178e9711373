INSERT INTO {schema}.corpus (text_config, chunks, length, changes)
SELECT text_config, count(*), coalesce(sum(length), 0), count(*) FROM new_chunk GROUP BY text_config
