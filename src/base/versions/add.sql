-- For tables of kb_rag 0.3. No row is written.
ALTER TABLE {schema}.document ADD COLUMN IF NOT EXISTS reader text, ADD COLUMN IF NOT EXISTS reader_version int,
    ADD COLUMN IF NOT EXISTS chunker_version int;
COMMENT ON COLUMN {schema}.document.reader IS 'what read the file that content comes from: docx, firecrawl, html, markdown, notebook, pdf, subtitles or text; NULL for a text as given, after content changed, and where kb_rag 0.3 read it; kept by a trigger';
COMMENT ON COLUMN {schema}.document.reader_version IS 'version of the reader then; kb_rag.current_version has those of today';
COMMENT ON COLUMN {schema}.document.chunker_version IS 'version of the chunker that cut the chunks; NULL where kb_rag 0.3 cut them, and for imported ones. An UPDATE that changes it has the text cut again; kept by a trigger'
