SELECT {read_before} FROM {schema}.document d WHERE d.id = $1 AND d.source_key IS NOT NULL
