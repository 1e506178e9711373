-- The owner of the base may have dropped the NOT NULL constraints.
SELECT c.keyword_number, coalesce(c.length, 0) AS length, coalesce(c.text_config, '') AS text_config, c.tsv FROM {schema}.chunk c
