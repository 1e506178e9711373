-- Locks the documents of the source $1 whose type is not $2; returns whether other transactions have some of them locked.
WITH locked AS MATERIALIZED (
    SELECT id FROM {schema}.document WHERE source_id = $1 AND source_type <> $2 ORDER BY id FOR UPDATE SKIP LOCKED
)
SELECT EXISTS (
    SELECT FROM {schema}.document d
    WHERE d.source_id = $1 AND d.source_type <> $2 AND NOT EXISTS (SELECT FROM locked l WHERE l.id = d.id)
)
