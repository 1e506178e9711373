WITH free AS (
    SELECT id FROM {schema}.corpus FOR UPDATE SKIP LOCKED
), merged AS (
    DELETE FROM {schema}.corpus c USING free WHERE c.id = free.id
    RETURNING c.text_config, c.chunks, c.length, c.changes
)
INSERT INTO {schema}.corpus (text_config, chunks, length, changes)
SELECT text_config, sum(chunks), sum(length), sum(changes) FROM merged GROUP BY text_config
