SELECT c.keyword_number, c.id, coalesce(c.length, 0) AS length, c.text_config FROM {schema}.chunk c
