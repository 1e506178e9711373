-- Locks the documents of the source $1 that are of another type than $2; whether there are some that others have locked.
WITH locked AS MATERIALIZED (
    SELECT id FROM {schema}.document WHERE source_id = $1 AND source_type <> $2 ORDER BY id FOR UPDATE SKIP LOCKED
)
SELECT EXISTS (
    SELECT FROM {schema}.document d
    WHERE d.source_id = $1 AND d.source_type <> $2 AND NOT EXISTS (SELECT FROM locked l WHERE l.id = d.id)
)
