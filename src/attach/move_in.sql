UPDATE {schema}.document SET source_key = substr(source_key, length({moving}) + 1) WHERE id = ANY ($1)
