DELETE FROM {schema}.term
