DROP TABLE IF EXISTS {schema}.keyword_segment, {schema}.keyword_run RESTRICT
