SELECT {read_before} FROM {schema}.document d WHERE d.id = $1
