-- The vectors have their own table and are stored inline: an exact scan reads nothing else, and no update touches them.
-- {type} is vector(n) or halfvec(n), {storage} PLAIN or EXTERNAL, {table} embedding, or another name until it takes its place.
CREATE TABLE {schema}.{table} (
    chunk_id uuid CONSTRAINT embedding_chunk_id_not_null NOT NULL
        CONSTRAINT {table}_pkey PRIMARY KEY
        CONSTRAINT embedding_chunk_id_fkey REFERENCES {schema}.chunk ON DELETE CASCADE,
    embedding {vector}.{type} CONSTRAINT embedding_embedding_not_null NOT NULL
);
ALTER TABLE {schema}.{table} ALTER COLUMN embedding SET STORAGE {storage};
COMMENT ON TABLE {schema}.{table} IS 'the vector of each chunk';
COMMENT ON COLUMN {schema}.{table}.chunk_id IS 'the chunk';
COMMENT ON COLUMN {schema}.{table}.embedding IS 'of length 1';
