CREATE TABLE {schema}.question (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    question text NOT NULL CHECK (pg_catalog.btrim(question, E' \t\n\r') OPERATOR(pg_catalog.<>) ''),
    expected_keys text[] NOT NULL DEFAULT '{}' CHECK (pg_catalog.array_position(expected_keys, NULL) IS NULL),
    expected_documents uuid[] NOT NULL DEFAULT '{}' CHECK (pg_catalog.array_position(expected_documents, NULL) IS NULL),
    expected_texts text[] NOT NULL DEFAULT '{}' CHECK (pg_catalog.array_position(expected_texts, NULL) IS NULL),
    filter jsonb NOT NULL DEFAULT '{}' CHECK (pg_catalog.jsonb_typeof(filter) OPERATOR(pg_catalog.=) 'object'),
    agent_id uuid,
    tags text[] NOT NULL DEFAULT '{}',
    weight float8 NOT NULL DEFAULT 1 CHECK (weight OPERATOR(pg_catalog.>) 0 AND weight OPERATOR(pg_catalog.<) 'infinity'),
    is_draft boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE {schema}.question IS 'questions to measure searches with, and what they are to find; INSERT and COPY as you like';
COMMENT ON COLUMN {schema}.question.id IS 'time-ordered identifier';
COMMENT ON COLUMN {schema}.question.question IS 'as people ask it';
COMMENT ON COLUMN {schema}.question.expected_keys IS 'source_key of documents that answer it; without any of the three, it is to find nothing';
COMMENT ON COLUMN {schema}.question.expected_documents IS 'ids of documents that answer it';
COMMENT ON COLUMN {schema}.question.expected_texts IS 'texts of documents that answer it: a chunk with at least half of one is right; white space does not count';
COMMENT ON COLUMN {schema}.question.filter IS 'filter of the search for it, beside that of the arguments';
COMMENT ON COLUMN {schema}.question.agent_id IS 'agent that asks it';
COMMENT ON COLUMN {schema}.question.tags IS 'to measure some of the questions';
COMMENT ON COLUMN {schema}.question.weight IS 'how much it counts, above 0';
COMMENT ON COLUMN {schema}.question.is_draft IS 'whether kb_question_draft made it, and nobody has checked it';
COMMENT ON COLUMN {schema}.question.created_at IS 'when it was added'
