-- Schema, documents and chunks of one knowledge base. {schema} is a quoted identifier. Run as the role that creates the
-- base and owns it from then on.

COMMENT ON SCHEMA {schema} IS {comment};

CREATE TABLE {schema}.source (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb NOT NULL DEFAULT '{}',
    auto_sync boolean NOT NULL DEFAULT false,
    sync_interval interval,
    last_synced_at timestamptz,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'indexed', 'failed', 'detached')),
    error_message text,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    indexed_at timestamptz
);
COMMENT ON TABLE {schema}.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN {schema}.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN {schema}.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN {schema}.source.location IS 'its URL or path';
COMMENT ON COLUMN {schema}.source.title IS 'what to call it';
COMMENT ON COLUMN {schema}.source.options IS 'how to read it';
COMMENT ON COLUMN {schema}.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN {schema}.source.sync_interval IS 'how often';
COMMENT ON COLUMN {schema}.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN {schema}.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN {schema}.source.error_message IS 'why it failed';
COMMENT ON COLUMN {schema}.source.created_at IS 'when it was added';
COMMENT ON COLUMN {schema}.source.indexed_at IS 'when its documents were last complete';

CREATE TABLE {schema}.document (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    source_id uuid REFERENCES {schema}.source ON DELETE CASCADE,
    source_type text NOT NULL DEFAULT 'document',
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb NOT NULL DEFAULT '{}',
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'indexed', 'failed')),
    error_message text,
    imported boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    updated_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    indexed_at timestamptz,
    reader text,
    reader_version int,
    chunker_version int,
    CHECK (pg_catalog.jsonb_typeof(metadata) OPERATOR(pg_catalog.=) 'object')
);
COMMENT ON TABLE {schema}.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN {schema}.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN {schema}.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN {schema}.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN {schema}.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN {schema}.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN {schema}.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN {schema}.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN {schema}.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN {schema}.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN {schema}.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN {schema}.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN {schema}.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN {schema}.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN {schema}.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN {schema}.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
COMMENT ON COLUMN {schema}.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN {schema}.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN {schema}.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN {schema}.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN {schema}.document.reader IS 'what read the file that content comes from: docx, firecrawl, html, markdown, notebook, pdf, subtitles or text; NULL for a text as given, after content changed, and where kb_rag 0.3 read it; kept by a trigger';
COMMENT ON COLUMN {schema}.document.reader_version IS 'version of the reader then; kb_rag.current_version has those of today';
COMMENT ON COLUMN {schema}.document.chunker_version IS 'version of the chunker that cut the chunks; NULL where kb_rag 0.3 cut them, and for imported ones. An UPDATE that changes it has the text cut again; kept by a trigger';
COMMENT ON COLUMN {schema}.document.status IS 'pending, indexed or failed; kept by a trigger';
CREATE UNIQUE INDEX document_source_key ON {schema}.document (source_id, source_type, source_key)
    NULLS NOT DISTINCT WHERE source_key IS NOT NULL;

-- The columns that ranking reads come first, where access is fastest.
CREATE TABLE {schema}.chunk (
    id uuid PRIMARY KEY,
    document_id uuid NOT NULL REFERENCES {schema}.document ON UPDATE CASCADE ON DELETE CASCADE,
    keyword_number bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    length int NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal int NOT NULL,
    start_char int NOT NULL,
    end_char int NOT NULL,
    page int,
    token_count int,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL,
    context text
) WITH (toast_tuple_target = 8160);
COMMENT ON TABLE {schema}.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN {schema}.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN {schema}.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN {schema}.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN {schema}.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN {schema}.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN {schema}.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN {schema}.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN {schema}.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN {schema}.chunk.tsv IS 'lexemes of title (weight A), heading (B), context and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN {schema}.chunk.text_config IS 'name of the analyzer that made tsv: the text search configuration of the document''s language, or of the base, followed by /2 in lexeme format 2, or by /2f where accents are folded';
COMMENT ON COLUMN {schema}.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN {schema}.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN {schema}.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN {schema}.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading, context and content';
COMMENT ON COLUMN {schema}.chunk.context IS 'of a chunk that begins among the rows of a table: its header rows, and cells above that reach into it; else NULL';
COMMENT ON COLUMN {schema}.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN {schema}.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
CREATE UNIQUE INDEX chunk_keyword_number ON {schema}.chunk (keyword_number);
CREATE INDEX chunk_document_id_ordinal ON {schema}.chunk (document_id, ordinal);
