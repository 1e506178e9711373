-- The tables of a pending model. {type} is vector(n) or halfvec(n), {storage} PLAIN or EXTERNAL. {table} takes the place of embedding, and gets
-- its foreign key then: until then a vector may be of a chunk in either table.
CREATE TABLE {schema}.{table} (
    chunk_id uuid CONSTRAINT embedding_chunk_id_not_null NOT NULL CONSTRAINT {table}_pkey PRIMARY KEY,
    embedding {vector}.{type} CONSTRAINT embedding_embedding_not_null NOT NULL
);
ALTER TABLE {schema}.{table} ALTER COLUMN embedding SET STORAGE {storage};
COMMENT ON TABLE {schema}.{table} IS 'the vector of each chunk';
COMMENT ON COLUMN {schema}.{table}.chunk_id IS 'the chunk';
COMMENT ON COLUMN {schema}.{table}.embedding IS 'of length 1';
CREATE TABLE {schema}.{chunks} (
    id uuid CONSTRAINT {chunks}_pkey PRIMARY KEY,
    document_id uuid NOT NULL REFERENCES {schema}.document ON UPDATE CASCADE ON DELETE CASCADE,
    is_stale boolean NOT NULL DEFAULT false,
    length int,
    tsv tsvector,
    text_config text,
    ordinal int,
    start_char int,
    end_char int,
    page int,
    token_count int,
    source_type text,
    heading text,
    content text,
    metadata jsonb,
    content_hash bytea,
    context text
) WITH (toast_tuple_target = 8160);
CREATE INDEX ON {schema}.{chunks} (document_id);
COMMENT ON TABLE {schema}.{chunks} IS 'the chunks of documents that the pending model cuts differently; they become rows of chunk with its vectors';
COMMENT ON COLUMN {schema}.{chunks}.id IS 'that of the chunk with the same text, or a new one';
COMMENT ON COLUMN {schema}.{chunks}.is_stale IS 'whether the document was written since: it is cut again. A row without a text names a chunk whose vector is of an earlier text'
