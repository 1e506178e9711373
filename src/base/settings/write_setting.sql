WITH gone AS (
    -- Not what kb_attach writes.
    DELETE FROM {schema}.setting
    WHERE name <> ALL ('{attached_tables,row_security_enabled}') AND name <> ALL (SELECT key FROM pg_catalog.jsonb_each_text($1::jsonb))
)
INSERT INTO {schema}.setting AS s (name, value)
SELECT key, value FROM pg_catalog.jsonb_each_text($1::jsonb)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE s.value IS DISTINCT FROM excluded.value
