WITH gone AS (
    -- Not the list of attached tables, which kb_attach writes.
    DELETE FROM {schema}.setting
    WHERE name <> 'attached_tables' AND name <> ALL (SELECT key FROM pg_catalog.jsonb_each_text($1::jsonb))
)
INSERT INTO {schema}.setting AS s (name, value)
SELECT key, value FROM pg_catalog.jsonb_each_text($1::jsonb)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE s.value IS DISTINCT FROM excluded.value
