ALTER TABLE {schema}.document DROP CONSTRAINT IF EXISTS document_status_check,
    ADD CONSTRAINT document_status_check CHECK (status IN ('pending', 'indexed', 'failed'));
COMMENT ON COLUMN {schema}.document.status IS 'pending, indexed or failed; kept by a trigger';
ALTER TABLE {schema}.chunk RENAME COLUMN words TO length;
COMMENT ON COLUMN {schema}.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25'
