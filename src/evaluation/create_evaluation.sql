CREATE TABLE {schema}.evaluation (
    name text PRIMARY KEY,
    run jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE {schema}.evaluation IS 'runs of kb_evaluate that were kept with save_as';
COMMENT ON COLUMN {schema}.evaluation.name IS 'what save_as called it';
COMMENT ON COLUMN {schema}.evaluation.run IS 'its configurations with their figures, and the figures of each question';
COMMENT ON COLUMN {schema}.evaluation.created_at IS 'when it was made'
