SELECT segment, count(*) FROM {schema}.keyword_run GROUP BY segment
