-- Whether a document has source type $1, or there are more documents than the $2 that are read; and some types.
SELECT count(*) > $2 OR coalesce(bool_or(d.source_type = $1), false),
    (array_agg(DISTINCT left(d.source_type, 60)) FILTER (WHERE d.source_type IS NOT NULL))[1:$3]
FROM (SELECT source_type FROM {schema}.document LIMIT $2 + 1) d
