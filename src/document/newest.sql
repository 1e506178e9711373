SELECT {created_at} AS created_at, d.id
FROM {schema}.document d
WHERE ($1 IS NULL OR {source_type} = $1) AND {conditions}
ORDER BY 1 DESC NULLS LAST, d.id DESC
LIMIT $2
