SELECT EXISTS (SELECT FROM {schema}.document d WHERE d.id = ANY ($1) AND ({read_before} OR {cut_before}))
