-- The public pattern: one wide table with a generated tsvector and a vector, as in Supabase's guide to hybrid search.
CREATE TABLE {wide} (
    id uuid PRIMARY KEY,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    fts tsvector GENERATED ALWAYS AS (to_tsvector('simple', content)) STORED,
    embedding vector(384) NOT NULL
);
INSERT INTO {wide} (id, content, metadata, embedding)
SELECT c.id, c.content, c.metadata, e.embedding
FROM {schema}.chunk c
JOIN {schema}.embedding e ON e.chunk_id = c.id;
CREATE INDEX {wide}_fts ON {wide} USING gin (fts);
CREATE INDEX {wide}_metadata ON {wide} USING gin (metadata jsonb_path_ops);
