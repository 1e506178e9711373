SELECT DISTINCT d.source_id FROM {schema}.document d WHERE d.source_id IS NOT NULL AND {conditions}
