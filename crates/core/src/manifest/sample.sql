-- What some rows of a table look like: the dimensions of their vectors, and how many rows have the key.
SELECT pg_catalog.min({vector}.vector_dims(s.embedding)), pg_catalog.max({vector}.vector_dims(s.embedding)), pg_catalog.count(*),
    pg_catalog.count(*) FILTER (WHERE s.metadata OPERATOR(pg_catalog.?) $1)
FROM (SELECT t.{embedding} AS embedding, t.{metadata} AS metadata FROM {table} t WHERE t.{embedding} IS NOT NULL{filter} LIMIT 100) s
