WITH gone AS (DELETE FROM {schema}.keyword_segment RETURNING 1) SELECT count(*) FROM gone
