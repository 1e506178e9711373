CREATE TABLE {schema}.summary (
    document_id uuid CONSTRAINT summary_pkey PRIMARY KEY
        CONSTRAINT summary_document_id_fkey REFERENCES {schema}.document ON UPDATE CASCADE ON DELETE CASCADE,
    model text NOT NULL,
    content_hash bytea NOT NULL,
    abstract_hash bytea,
    overview_hash bytea,
    made_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE {schema}.summary IS 'documents whose abstract or overview a chat model made; triggers remove a row when both are yours, and when the content changes';
COMMENT ON COLUMN {schema}.summary.document_id IS 'the document';
COMMENT ON COLUMN {schema}.summary.model IS 'the chat model that made them, as provider/model';
COMMENT ON COLUMN {schema}.summary.content_hash IS 'content_hash of the document that they were made of';
COMMENT ON COLUMN {schema}.summary.abstract_hash IS 'SHA-256 of the abstract that was made; NULL where the abstract is yours';
COMMENT ON COLUMN {schema}.summary.overview_hash IS 'SHA-256 of the overview that was made; NULL where the overview is yours';
COMMENT ON COLUMN {schema}.summary.made_at IS 'when they were made';
-- A reader sees the rows of the documents that row security shows it.
ALTER TABLE {schema}.summary ENABLE ROW LEVEL SECURITY;
CREATE POLICY summary_of_document ON {schema}.summary FOR SELECT
    USING (EXISTS (SELECT FROM {schema}.document d WHERE d.id OPERATOR(pg_catalog.=) document_id));
COMMENT ON POLICY summary_of_document ON {schema}.summary IS 'shows the rows of documents that are seen'
