DELETE FROM {schema}.keyword_run WHERE segment = ANY ($1)
