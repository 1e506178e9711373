SELECT keyword_number, coalesce(length, 0) AS length, coalesce(text_config, '') AS text_config FROM {schema}.chunk WHERE tsv IS NOT NULL
