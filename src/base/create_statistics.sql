-- Statistics for BM25. A counter in one row would make all writers wait for each other; frequencies of every lexeme would
-- cost more than the chunk they come from.
CREATE TABLE {schema}.corpus (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    text_config text NOT NULL,
    chunks bigint NOT NULL,
    length bigint NOT NULL,
    changes bigint NOT NULL
);
COMMENT ON TABLE {schema}.corpus IS 'number and length of the chunks by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged';
COMMENT ON COLUMN {schema}.corpus.id IS 'time-ordered identifier';
COMMENT ON COLUMN {schema}.corpus.text_config IS 'that of the chunks';
COMMENT ON COLUMN {schema}.corpus.chunks IS 'how many were added; negative for deleted ones';
COMMENT ON COLUMN {schema}.corpus.length IS 'the sum of their lengths';
COMMENT ON COLUMN {schema}.corpus.changes IS 'how many were added or deleted';
CREATE TABLE {schema}.term (
    lexeme text COLLATE "C" PRIMARY KEY,
    chunks bigint NOT NULL,
    of_chunks bigint NOT NULL,
    of_changes bigint NOT NULL
);
COMMENT ON TABLE {schema}.term IS 'common lexemes of a large base: in how many chunks of how many each was when last counted; others are counted when asked for';
COMMENT ON COLUMN {schema}.term.lexeme IS 'as PostgreSQL spells it; the empty one only says when the others were counted';
COMMENT ON COLUMN {schema}.term.chunks IS 'in how many chunks it was';
COMMENT ON COLUMN {schema}.term.of_chunks IS 'among how many';
COMMENT ON COLUMN {schema}.term.of_changes IS 'how many had been added or deleted by then';
