DELETE FROM {schema}.keyword_segment
