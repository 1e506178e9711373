SELECT s.metadata OPERATOR(pg_catalog.->>) $2, s.distance
FROM (
    SELECT t.{metadata} AS metadata, (t.{embedding} OPERATOR({vector}.<=>) {query})::pg_catalog.float8 AS distance
    FROM {table} t
    WHERE t.{embedding} IS NOT NULL{filter}
    ORDER BY t.{embedding} OPERATOR({vector}.<=>) {query}{exact}
    LIMIT $3
) s
