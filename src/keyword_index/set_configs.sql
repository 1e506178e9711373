UPDATE {schema}.keyword_segment SET configs = $2::jsonb WHERE id = $1
