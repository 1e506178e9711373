DELETE FROM {schema}.keyword_run
