ALTER TABLE {schema}.source ADD COLUMN created_at timestamptz NOT NULL DEFAULT pg_catalog.now(), ADD COLUMN indexed_at timestamptz;
COMMENT ON COLUMN {schema}.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN {schema}.source.sync_interval IS 'how often';
COMMENT ON COLUMN {schema}.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN {schema}.source.created_at IS 'when it was added';
COMMENT ON COLUMN {schema}.source.indexed_at IS 'when its documents were last complete'
