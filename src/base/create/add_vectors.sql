-- Rows without their vector are of no use.
TRUNCATE {schema}.embedding;
ALTER TABLE {schema}.embedding ADD COLUMN embedding {vector}.{type} CONSTRAINT embedding_embedding_not_null NOT NULL;
ALTER TABLE {schema}.embedding ALTER COLUMN embedding SET STORAGE {storage};
COMMENT ON COLUMN {schema}.embedding.embedding IS 'of length 1'
