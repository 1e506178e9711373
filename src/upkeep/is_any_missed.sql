SELECT EXISTS (SELECT FROM {schema}.document WHERE content_hash IS NULL)
