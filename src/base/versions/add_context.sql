-- For tables of kb_rag 0.3. No row is written.
ALTER TABLE {schema}.chunk ADD COLUMN IF NOT EXISTS context text;
COMMENT ON COLUMN {schema}.chunk.context IS 'of a chunk that begins among the rows of a table: its header rows, and cells above that reach into it; else NULL'
