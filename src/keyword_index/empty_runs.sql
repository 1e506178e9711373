WITH gone AS (DELETE FROM {schema}.keyword_run RETURNING 1) SELECT count(*) FROM gone
