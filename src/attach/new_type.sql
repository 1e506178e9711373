UPDATE {schema}.document d SET source_type = $2
WHERE source_id = $1 AND source_type <> $2
    AND NOT EXISTS (
        SELECT FROM {schema}.document o WHERE o.source_id = $1 AND o.source_type = $2 AND o.source_key = d.source_key
    )
