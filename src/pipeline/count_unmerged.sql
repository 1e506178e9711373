(SELECT count(*) FROM {schema}.keyword_segment k WHERE k.data IS NOT NULL)
