SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA kb_cloud;
COMMENT ON SCHEMA kb_cloud IS 'knowledge base cloud';
CREATE SCHEMA kb_cut_code;
COMMENT ON SCHEMA kb_cut_code IS 'knowledge base cut code';
CREATE SCHEMA kb_cut_markdown;
COMMENT ON SCHEMA kb_cut_markdown IS 'knowledge base cut markdown';
CREATE SCHEMA kb_cut_none;
COMMENT ON SCHEMA kb_cut_none IS 'knowledge base cut none';
CREATE SCHEMA kb_cut_semantic;
COMMENT ON SCHEMA kb_cut_semantic IS 'knowledge base cut semantic';
CREATE SCHEMA kb_cut_text;
COMMENT ON SCHEMA kb_cut_text IS 'knowledge base cut text';
CREATE SCHEMA kb_draft;
COMMENT ON SCHEMA kb_draft IS 'knowledge base final';
CREATE SCHEMA kb_drinks;
COMMENT ON SCHEMA kb_drinks IS 'knowledge base drinks';
CREATE SCHEMA kb_files;
COMMENT ON SCHEMA kb_files IS 'knowledge base files';
CREATE SCHEMA kb_handbook;
COMMENT ON SCHEMA kb_handbook IS 'knowledge base handbook';
CREATE SCHEMA kb_index_hnsw;
COMMENT ON SCHEMA kb_index_hnsw IS 'knowledge base index hnsw';
CREATE SCHEMA kb_index_ivfflat;
COMMENT ON SCHEMA kb_index_ivfflat IS 'knowledge base index ivfflat';
CREATE SCHEMA kb_index_none;
COMMENT ON SCHEMA kb_index_none IS 'knowledge base index none';
CREATE SCHEMA kb_languages;
COMMENT ON SCHEMA kb_languages IS 'knowledge base languages';
CREATE SCHEMA kb_moving;
COMMENT ON SCHEMA kb_moving IS 'knowledge base moving';
CREATE SCHEMA kb_off;
COMMENT ON SCHEMA kb_off IS 'knowledge base off';
CREATE SCHEMA kb_old_notes;
COMMENT ON SCHEMA kb_old_notes IS 'knowledge base Old notes';
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';
CREATE EXTENSION IF NOT EXISTS kb_rag WITH SCHEMA public;
COMMENT ON EXTENSION kb_rag IS 'knowledge bases inside PostgreSQL: chunk, embed, index and search documents';
CREATE SCHEMA kb_shop;
COMMENT ON SCHEMA kb_shop IS 'knowledge base shop';
CREATE SCHEMA kb_waiting;
COMMENT ON SCHEMA kb_waiting IS 'knowledge base waiting';
CREATE SCHEMA kb_web;
COMMENT ON SCHEMA kb_web IS 'knowledge base web';
CREATE SCHEMA kb_wide;
COMMENT ON SCHEMA kb_wide IS 'knowledge base wide';
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE kb_cloud.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_cloud.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_cloud.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cloud.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_cloud.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_cloud.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_cloud.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_cloud.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_cloud.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_cloud.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_cloud.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_cloud.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_cloud.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_cloud.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_cloud.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_cloud.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_cloud.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_cloud.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_cloud.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_cloud.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cloud.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_cloud.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_cloud.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cloud.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_cloud.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_cloud.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_cloud.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_cloud.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_cloud.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_cloud.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_cloud.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_cloud.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_cloud.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_cloud.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_cloud.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_cloud.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_cloud.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_cloud.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_cloud.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_cloud.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_cloud.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_cloud.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_cloud.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(4) NOT NULL
);
ALTER TABLE ONLY kb_cloud.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_cloud.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_cloud.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_cloud.embedding.embedding IS 'of length 1';
CREATE TABLE kb_cloud.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cloud.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_cloud.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_cloud.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_cloud.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_cloud.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_cloud.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_cloud.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cloud.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_cloud.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_cloud.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_cloud.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_cloud.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_cloud.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_cloud.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_cloud.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_cloud.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_cloud.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_cloud.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_cloud.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_cloud.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_cloud.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_cloud.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cloud.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_cloud.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_cloud.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_cloud.setting.value IS 'as text';
CREATE TABLE kb_cloud.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_cloud.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_cloud.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cloud.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_cloud.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_cloud.source.title IS 'what to call it';
COMMENT ON COLUMN kb_cloud.source.options IS 'how to read it';
COMMENT ON COLUMN kb_cloud.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_cloud.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_cloud.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_cloud.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_cloud.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_cloud.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_cloud.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_cut_code.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_cut_code.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_cut_code.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_code.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_cut_code.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_cut_code.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_cut_code.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_cut_code.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_cut_code.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_cut_code.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_cut_code.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_cut_code.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_cut_code.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_cut_code.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_cut_code.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_cut_code.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_cut_code.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_cut_code.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_cut_code.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_cut_code.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_code.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_cut_code.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_cut_code.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_code.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_cut_code.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_cut_code.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_cut_code.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_cut_code.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_cut_code.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_cut_code.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_cut_code.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_cut_code.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_cut_code.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_cut_code.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_cut_code.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_cut_code.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_cut_code.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_code.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_code.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_cut_code.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_cut_code.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_cut_code.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_cut_code.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_cut_code.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_code.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_cut_code.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_cut_code.embedding.embedding IS 'of length 1';
CREATE TABLE kb_cut_code.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_code.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_code.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_cut_code.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_cut_code.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_cut_code.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_cut_code.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_cut_code.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_code.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_cut_code.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_cut_code.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_cut_code.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_cut_code.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_cut_code.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_cut_code.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_cut_code.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_cut_code.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_cut_code.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_cut_code.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_cut_code.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_cut_code.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_cut_code.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_cut_code.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_code.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_cut_code.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_cut_code.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_cut_code.setting.value IS 'as text';
CREATE TABLE kb_cut_code.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_cut_code.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_cut_code.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_code.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_cut_code.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_cut_code.source.title IS 'what to call it';
COMMENT ON COLUMN kb_cut_code.source.options IS 'how to read it';
COMMENT ON COLUMN kb_cut_code.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_cut_code.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_cut_code.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_cut_code.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_cut_code.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_cut_code.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_cut_code.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_cut_markdown.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_cut_markdown.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_cut_markdown.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_markdown.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_cut_markdown.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_cut_markdown.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_cut_markdown.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_cut_markdown.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_cut_markdown.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_cut_markdown.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_cut_markdown.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_cut_markdown.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_cut_markdown.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_cut_markdown.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_cut_markdown.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_cut_markdown.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_cut_markdown.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_cut_markdown.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_cut_markdown.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_cut_markdown.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_markdown.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_cut_markdown.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_cut_markdown.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_markdown.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_cut_markdown.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_cut_markdown.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_cut_markdown.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_cut_markdown.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_cut_markdown.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_cut_markdown.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_cut_markdown.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_cut_markdown.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_cut_markdown.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_cut_markdown.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_cut_markdown.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_cut_markdown.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_cut_markdown.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_markdown.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_markdown.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_cut_markdown.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_cut_markdown.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_cut_markdown.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_cut_markdown.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_cut_markdown.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_markdown.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_cut_markdown.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_cut_markdown.embedding.embedding IS 'of length 1';
CREATE TABLE kb_cut_markdown.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_markdown.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_markdown.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_cut_markdown.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_cut_markdown.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_cut_markdown.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_cut_markdown.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_cut_markdown.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_markdown.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_cut_markdown.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_cut_markdown.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_cut_markdown.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_cut_markdown.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_markdown.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_cut_markdown.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_cut_markdown.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_cut_markdown.setting.value IS 'as text';
CREATE TABLE kb_cut_markdown.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_cut_markdown.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_cut_markdown.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_markdown.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_cut_markdown.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_cut_markdown.source.title IS 'what to call it';
COMMENT ON COLUMN kb_cut_markdown.source.options IS 'how to read it';
COMMENT ON COLUMN kb_cut_markdown.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_cut_markdown.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_cut_markdown.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_cut_markdown.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_cut_markdown.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_cut_markdown.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_cut_markdown.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_cut_none.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_cut_none.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_cut_none.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_none.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_cut_none.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_cut_none.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_cut_none.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_cut_none.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_cut_none.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_cut_none.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_cut_none.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_cut_none.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_cut_none.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_cut_none.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_cut_none.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_cut_none.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_cut_none.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_cut_none.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_cut_none.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_cut_none.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_none.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_cut_none.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_cut_none.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_none.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_cut_none.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_cut_none.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_cut_none.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_cut_none.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_cut_none.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_cut_none.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_cut_none.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_cut_none.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_cut_none.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_cut_none.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_cut_none.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_cut_none.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_cut_none.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_none.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_none.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_cut_none.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_cut_none.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_cut_none.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_cut_none.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_cut_none.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_none.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_cut_none.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_cut_none.embedding.embedding IS 'of length 1';
CREATE TABLE kb_cut_none.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_none.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_none.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_cut_none.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_cut_none.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_cut_none.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_cut_none.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_cut_none.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_none.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_cut_none.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_cut_none.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_cut_none.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_cut_none.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_cut_none.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_cut_none.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_cut_none.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_cut_none.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_cut_none.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_cut_none.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_cut_none.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_cut_none.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_cut_none.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_cut_none.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_none.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_cut_none.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_cut_none.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_cut_none.setting.value IS 'as text';
CREATE TABLE kb_cut_none.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_cut_none.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_cut_none.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_none.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_cut_none.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_cut_none.source.title IS 'what to call it';
COMMENT ON COLUMN kb_cut_none.source.options IS 'how to read it';
COMMENT ON COLUMN kb_cut_none.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_cut_none.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_cut_none.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_cut_none.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_cut_none.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_cut_none.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_cut_none.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_cut_semantic.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_cut_semantic.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_cut_semantic.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_semantic.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_cut_semantic.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_cut_semantic.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_cut_semantic.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_cut_semantic.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_cut_semantic.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_cut_semantic.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_cut_semantic.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_cut_semantic.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_cut_semantic.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_cut_semantic.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_cut_semantic.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_cut_semantic.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_cut_semantic.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_cut_semantic.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_cut_semantic.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_cut_semantic.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_semantic.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_cut_semantic.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_cut_semantic.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_semantic.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_cut_semantic.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_cut_semantic.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_cut_semantic.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_cut_semantic.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_cut_semantic.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_cut_semantic.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_cut_semantic.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_cut_semantic.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_cut_semantic.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_cut_semantic.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_cut_semantic.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_cut_semantic.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_cut_semantic.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_semantic.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_semantic.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_cut_semantic.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_cut_semantic.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_cut_semantic.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_cut_semantic.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_cut_semantic.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_semantic.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_cut_semantic.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_cut_semantic.embedding.embedding IS 'of length 1';
CREATE TABLE kb_cut_semantic.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_semantic.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_semantic.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_cut_semantic.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_cut_semantic.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_cut_semantic.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_cut_semantic.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_cut_semantic.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_semantic.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_cut_semantic.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_cut_semantic.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_cut_semantic.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_cut_semantic.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_semantic.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_cut_semantic.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_cut_semantic.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_cut_semantic.setting.value IS 'as text';
CREATE TABLE kb_cut_semantic.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_cut_semantic.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_cut_semantic.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_semantic.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_cut_semantic.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_cut_semantic.source.title IS 'what to call it';
COMMENT ON COLUMN kb_cut_semantic.source.options IS 'how to read it';
COMMENT ON COLUMN kb_cut_semantic.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_cut_semantic.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_cut_semantic.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_cut_semantic.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_cut_semantic.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_cut_semantic.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_cut_semantic.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_cut_text.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_cut_text.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_cut_text.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_text.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_cut_text.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_cut_text.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_cut_text.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_cut_text.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_cut_text.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_cut_text.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_cut_text.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_cut_text.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_cut_text.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_cut_text.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_cut_text.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_cut_text.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_cut_text.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_cut_text.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_cut_text.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_cut_text.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_text.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_cut_text.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_cut_text.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_text.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_cut_text.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_cut_text.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_cut_text.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_cut_text.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_cut_text.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_cut_text.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_cut_text.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_cut_text.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_cut_text.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_cut_text.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_cut_text.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_cut_text.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_cut_text.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_text.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_cut_text.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_cut_text.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_cut_text.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_cut_text.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_cut_text.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_cut_text.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_text.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_cut_text.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_cut_text.embedding.embedding IS 'of length 1';
CREATE TABLE kb_cut_text.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_text.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_cut_text.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_cut_text.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_cut_text.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_cut_text.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_cut_text.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_cut_text.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_cut_text.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_cut_text.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_cut_text.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_cut_text.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_cut_text.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_cut_text.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_cut_text.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_cut_text.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_cut_text.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_cut_text.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_cut_text.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_cut_text.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_cut_text.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_cut_text.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_cut_text.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_cut_text.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_cut_text.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_cut_text.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_cut_text.setting.value IS 'as text';
CREATE TABLE kb_cut_text.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_cut_text.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_cut_text.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_cut_text.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_cut_text.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_cut_text.source.title IS 'what to call it';
COMMENT ON COLUMN kb_cut_text.source.options IS 'how to read it';
COMMENT ON COLUMN kb_cut_text.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_cut_text.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_cut_text.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_cut_text.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_cut_text.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_cut_text.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_cut_text.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_draft.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_draft.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_draft.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_draft.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_draft.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_draft.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_draft.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_draft.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_draft.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_draft.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_draft.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_draft.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_draft.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_draft.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_draft.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_draft.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_draft.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_draft.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_draft.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_draft.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_draft.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_draft.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_draft.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_draft.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_draft.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_draft.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_draft.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_draft.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_draft.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_draft.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_draft.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_draft.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_draft.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_draft.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_draft.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_draft.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_draft.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_draft.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_draft.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_draft.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_draft.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_draft.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_draft.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_draft.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_draft.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_draft.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_draft.embedding.embedding IS 'of length 1';
CREATE TABLE kb_draft.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_draft.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_draft.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_draft.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_draft.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_draft.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_draft.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_draft.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_draft.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_draft.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_draft.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_draft.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_draft.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_draft.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_draft.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_draft.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_draft.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_draft.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_draft.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_draft.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_draft.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_draft.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_draft.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_draft.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_draft.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_draft.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_draft.setting.value IS 'as text';
CREATE TABLE kb_draft.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_draft.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_draft.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_draft.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_draft.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_draft.source.title IS 'what to call it';
COMMENT ON COLUMN kb_draft.source.options IS 'how to read it';
COMMENT ON COLUMN kb_draft.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_draft.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_draft.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_draft.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_draft.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_draft.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_draft.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_drinks.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_drinks.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_drinks.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_drinks.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_drinks.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_drinks.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_drinks.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_drinks.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_drinks.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_drinks.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_drinks.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_drinks.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_drinks.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_drinks.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_drinks.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_drinks.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_drinks.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_drinks.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_drinks.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_drinks.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_drinks.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_drinks.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_drinks.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_drinks.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_drinks.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_drinks.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_drinks.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_drinks.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_drinks.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_drinks.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_drinks.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_drinks.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_drinks.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_drinks.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_drinks.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_drinks.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_drinks.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_drinks.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_drinks.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_drinks.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_drinks.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_drinks.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_drinks.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(3) NOT NULL
);
ALTER TABLE ONLY kb_drinks.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_drinks.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_drinks.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_drinks.embedding.embedding IS 'of length 1';
CREATE TABLE kb_drinks.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_drinks.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_drinks.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_drinks.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_drinks.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_drinks.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_drinks.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_drinks.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_drinks.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_drinks.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_drinks.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_drinks.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_drinks.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_drinks.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_drinks.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_drinks.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_drinks.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_drinks.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_drinks.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_drinks.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_drinks.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_drinks.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_drinks.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_drinks.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_drinks.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_drinks.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_drinks.setting.value IS 'as text';
CREATE TABLE kb_drinks.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_drinks.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_drinks.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_drinks.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_drinks.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_drinks.source.title IS 'what to call it';
COMMENT ON COLUMN kb_drinks.source.options IS 'how to read it';
COMMENT ON COLUMN kb_drinks.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_drinks.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_drinks.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_drinks.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_drinks.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_drinks.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_drinks.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_files.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_files.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_files.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_files.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_files.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_files.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_files.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_files.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_files.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_files.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_files.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_files.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_files.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_files.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_files.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_files.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_files.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_files.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_files.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_files.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_files.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_files.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_files.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_files.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_files.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_files.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_files.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_files.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_files.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_files.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_files.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_files.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_files.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_files.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_files.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_files.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_files.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_files.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_files.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_files.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_files.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_files.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_files.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_files.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_files.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_files.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_files.embedding.embedding IS 'of length 1';
CREATE VIEW kb_files.collection WITH (security_invoker='true') AS
 SELECT c.id,
    e.embedding AS vec,
    ((jsonb_build_object('chunk_index', COALESCE((c.metadata -> 'chunkIndex'::text), to_jsonb(c.ordinal)), 'document_id', c.document_id) || c.metadata) || jsonb_build_object('content', c.content)) AS metadata
   FROM ((kb_files.document d
     JOIN kb_files.chunk c ON ((c.document_id = d.id)))
     JOIN kb_files.embedding e ON ((e.chunk_id = c.id)));
COMMENT ON VIEW kb_files.collection IS 'made by kb_expose: the chunks that have a vector, with their texts and metadata, for readers with SQL of their own';
COMMENT ON COLUMN kb_files.collection.id IS 'the chunk';
COMMENT ON COLUMN kb_files.collection.vec IS 'its vector, of length 1';
COMMENT ON COLUMN kb_files.collection.metadata IS 'its metadata with chunk_index, document_id and, as content, its text';
CREATE TABLE kb_files.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_files.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_files.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_files.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_files.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_files.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_files.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_files.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_files.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_files.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_files.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_files.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_files.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_files.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_files.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_files.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_files.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_files.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_files.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_files.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_files.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_files.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_files.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_files.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_files.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_files.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_files.setting.value IS 'as text';
CREATE TABLE kb_files.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_files.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_files.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_files.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_files.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_files.source.title IS 'what to call it';
COMMENT ON COLUMN kb_files.source.options IS 'how to read it';
COMMENT ON COLUMN kb_files.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_files.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_files.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_files.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_files.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_files.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_files.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_handbook.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_handbook.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_handbook.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_handbook.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_handbook.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_handbook.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_handbook.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_handbook.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_handbook.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_handbook.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_handbook.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_handbook.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_handbook.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_handbook.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_handbook.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_handbook.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_handbook.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_handbook.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_handbook.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_handbook.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_handbook.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_handbook.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_handbook.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_handbook.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_handbook.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_handbook.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_handbook.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_handbook.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_handbook.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_handbook.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_handbook.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_handbook.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_handbook.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_handbook.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_handbook.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_handbook.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_handbook.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_handbook.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_handbook.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_handbook.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_handbook.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_handbook.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_handbook.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_handbook.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_handbook.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_handbook.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_handbook.embedding.embedding IS 'of length 1';
CREATE TABLE kb_handbook.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_handbook.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_handbook.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_handbook.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_handbook.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_handbook.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_handbook.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_handbook.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_handbook.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_handbook.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_handbook.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_handbook.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_handbook.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_handbook.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_handbook.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_handbook.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_handbook.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_handbook.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_handbook.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_handbook.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_handbook.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_handbook.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_handbook.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_handbook.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_handbook.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_handbook.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_handbook.setting.value IS 'as text';
CREATE TABLE kb_handbook.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_handbook.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_handbook.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_handbook.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_handbook.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_handbook.source.title IS 'what to call it';
COMMENT ON COLUMN kb_handbook.source.options IS 'how to read it';
COMMENT ON COLUMN kb_handbook.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_handbook.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_handbook.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_handbook.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_handbook.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_handbook.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_handbook.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_index_hnsw.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_index_hnsw.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_index_hnsw.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_hnsw.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_index_hnsw.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_index_hnsw.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_index_hnsw.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_index_hnsw.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_index_hnsw.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_index_hnsw.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_index_hnsw.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_index_hnsw.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_index_hnsw.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_index_hnsw.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_index_hnsw.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_index_hnsw.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_index_hnsw.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_index_hnsw.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_index_hnsw.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_index_hnsw.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_index_hnsw.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_index_hnsw.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_index_hnsw.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_hnsw.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_index_hnsw.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_index_hnsw.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_index_hnsw.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_index_hnsw.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_index_hnsw.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_index_hnsw.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_index_hnsw.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_index_hnsw.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_index_hnsw.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_index_hnsw.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_index_hnsw.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_index_hnsw.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_index_hnsw.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_index_hnsw.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_index_hnsw.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_index_hnsw.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_index_hnsw.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_index_hnsw.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_index_hnsw.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_index_hnsw.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_index_hnsw.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_index_hnsw.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_index_hnsw.embedding.embedding IS 'of length 1';
CREATE TABLE kb_index_hnsw.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_index_hnsw.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_index_hnsw.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_index_hnsw.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_index_hnsw.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_index_hnsw.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_index_hnsw.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_index_hnsw.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_index_hnsw.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_index_hnsw.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_index_hnsw.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_index_hnsw.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_index_hnsw.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_index_hnsw.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_index_hnsw.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_index_hnsw.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_index_hnsw.setting.value IS 'as text';
CREATE TABLE kb_index_hnsw.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_index_hnsw.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_index_hnsw.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_hnsw.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_index_hnsw.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_index_hnsw.source.title IS 'what to call it';
COMMENT ON COLUMN kb_index_hnsw.source.options IS 'how to read it';
COMMENT ON COLUMN kb_index_hnsw.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_index_hnsw.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_index_hnsw.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_index_hnsw.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_index_hnsw.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_index_hnsw.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_index_hnsw.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_index_ivfflat.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_index_ivfflat.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_index_ivfflat.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_ivfflat.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_index_ivfflat.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_index_ivfflat.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_index_ivfflat.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_index_ivfflat.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_index_ivfflat.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_index_ivfflat.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_index_ivfflat.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_index_ivfflat.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_index_ivfflat.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_index_ivfflat.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_index_ivfflat.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_index_ivfflat.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_index_ivfflat.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_index_ivfflat.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_index_ivfflat.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_index_ivfflat.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_index_ivfflat.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_index_ivfflat.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_index_ivfflat.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_ivfflat.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_index_ivfflat.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_index_ivfflat.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_index_ivfflat.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_index_ivfflat.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_index_ivfflat.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_index_ivfflat.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_index_ivfflat.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_index_ivfflat.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_index_ivfflat.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_index_ivfflat.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_index_ivfflat.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_index_ivfflat.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_index_ivfflat.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_index_ivfflat.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_index_ivfflat.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_index_ivfflat.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_index_ivfflat.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_index_ivfflat.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_index_ivfflat.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_index_ivfflat.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_index_ivfflat.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_index_ivfflat.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_index_ivfflat.embedding.embedding IS 'of length 1';
CREATE TABLE kb_index_ivfflat.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_index_ivfflat.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_index_ivfflat.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_index_ivfflat.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_index_ivfflat.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_index_ivfflat.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_index_ivfflat.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_index_ivfflat.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_index_ivfflat.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_index_ivfflat.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_index_ivfflat.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_index_ivfflat.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_index_ivfflat.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_index_ivfflat.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_index_ivfflat.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_index_ivfflat.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_index_ivfflat.setting.value IS 'as text';
CREATE TABLE kb_index_ivfflat.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_index_ivfflat.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_index_ivfflat.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_ivfflat.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_index_ivfflat.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_index_ivfflat.source.title IS 'what to call it';
COMMENT ON COLUMN kb_index_ivfflat.source.options IS 'how to read it';
COMMENT ON COLUMN kb_index_ivfflat.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_index_ivfflat.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_index_ivfflat.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_index_ivfflat.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_index_ivfflat.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_index_ivfflat.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_index_ivfflat.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_index_none.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_index_none.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_index_none.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_none.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_index_none.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_index_none.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_index_none.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_index_none.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_index_none.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_index_none.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_index_none.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_index_none.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_index_none.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_index_none.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_index_none.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_index_none.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_index_none.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_index_none.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_index_none.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_index_none.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_index_none.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_index_none.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_index_none.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_none.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_index_none.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_index_none.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_index_none.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_index_none.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_index_none.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_index_none.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_index_none.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_index_none.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_index_none.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_index_none.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_index_none.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_index_none.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_index_none.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_index_none.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_index_none.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_index_none.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_index_none.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_index_none.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_index_none.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_index_none.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_index_none.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_index_none.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_index_none.embedding.embedding IS 'of length 1';
CREATE TABLE kb_index_none.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_index_none.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_index_none.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_index_none.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_index_none.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_index_none.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_index_none.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_index_none.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_index_none.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_index_none.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_index_none.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_index_none.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_index_none.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_index_none.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_index_none.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_index_none.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_index_none.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_index_none.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_index_none.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_index_none.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_index_none.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_index_none.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_index_none.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_index_none.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_index_none.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_index_none.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_index_none.setting.value IS 'as text';
CREATE TABLE kb_index_none.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_index_none.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_index_none.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_index_none.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_index_none.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_index_none.source.title IS 'what to call it';
COMMENT ON COLUMN kb_index_none.source.options IS 'how to read it';
COMMENT ON COLUMN kb_index_none.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_index_none.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_index_none.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_index_none.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_index_none.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_index_none.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_index_none.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_languages.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_languages.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_languages.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_languages.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_languages.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_languages.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_languages.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_languages.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_languages.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_languages.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_languages.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_languages.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_languages.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_languages.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_languages.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_languages.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_languages.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_languages.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_languages.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_languages.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_languages.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_languages.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_languages.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_languages.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_languages.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_languages.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_languages.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_languages.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_languages.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_languages.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_languages.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_languages.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_languages.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_languages.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_languages.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_languages.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_languages.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_languages.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_languages.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_languages.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_languages.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_languages.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_languages.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_languages.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_languages.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_languages.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_languages.embedding.embedding IS 'of length 1';
CREATE TABLE kb_languages.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_languages.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_languages.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_languages.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_languages.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_languages.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_languages.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_languages.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_languages.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_languages.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_languages.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_languages.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_languages.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_languages.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_languages.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_languages.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_languages.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_languages.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_languages.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_languages.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_languages.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_languages.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_languages.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_languages.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_languages.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_languages.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_languages.setting.value IS 'as text';
CREATE TABLE kb_languages.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_languages.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_languages.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_languages.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_languages.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_languages.source.title IS 'what to call it';
COMMENT ON COLUMN kb_languages.source.options IS 'how to read it';
COMMENT ON COLUMN kb_languages.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_languages.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_languages.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_languages.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_languages.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_languages.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_languages.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_moving.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_moving.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_moving.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_moving.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_moving.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_moving.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_moving.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_moving.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_moving.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_moving.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_moving.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_moving.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_moving.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_moving.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_moving.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_moving.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_moving.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_moving.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_moving.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_moving.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_moving.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_moving.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_moving.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_moving.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_moving.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_moving.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_moving.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_moving.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_moving.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_moving.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_moving.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_moving.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_moving.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_moving.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_moving.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_moving.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_moving.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_moving.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_moving.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_moving.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_moving.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_moving.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_moving.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_moving.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_moving.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_moving.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_moving.embedding.embedding IS 'of length 1';
CREATE TABLE kb_moving.embedding_4 (
    chunk_id uuid CONSTRAINT embedding_chunk_id_not_null NOT NULL,
    embedding public.vector(4) CONSTRAINT embedding_embedding_not_null NOT NULL
);
ALTER TABLE ONLY kb_moving.embedding_4 ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_moving.embedding_4 IS 'the vector of each chunk';
COMMENT ON COLUMN kb_moving.embedding_4.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_moving.embedding_4.embedding IS 'of length 1';
CREATE TABLE kb_moving.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_moving.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_moving.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_moving.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_moving.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_moving.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_moving.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_moving.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_moving.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_moving.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_moving.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_moving.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_moving.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_moving.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_moving.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_moving.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_moving.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_moving.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_moving.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_moving.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_moving.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_moving.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_moving.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_moving.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_moving.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_moving.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_moving.setting.value IS 'as text';
CREATE TABLE kb_moving.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_moving.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_moving.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_moving.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_moving.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_moving.source.title IS 'what to call it';
COMMENT ON COLUMN kb_moving.source.options IS 'how to read it';
COMMENT ON COLUMN kb_moving.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_moving.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_moving.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_moving.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_moving.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_moving.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_moving.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_off.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_off.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_off.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_off.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_off.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_off.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_off.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_off.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_off.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_off.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_off.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_off.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_off.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_off.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_off.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_off.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_off.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_off.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_off.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_off.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_off.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_off.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_off.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_off.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_off.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_off.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_off.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_off.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_off.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_off.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_off.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_off.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_off.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_off.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_off.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_off.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_off.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_off.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_off.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_off.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_off.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_off.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_off.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_off.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_off.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_off.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_off.embedding.embedding IS 'of length 1';
CREATE TABLE kb_off.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_off.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_off.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_off.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_off.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_off.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_off.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_off.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_off.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_off.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_off.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_off.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_off.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_off.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_off.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_off.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_off.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_off.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_off.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_off.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_off.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_off.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_off.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_off.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_off.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_off.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_off.setting.value IS 'as text';
CREATE TABLE kb_off.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_off.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_off.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_off.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_off.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_off.source.title IS 'what to call it';
COMMENT ON COLUMN kb_off.source.options IS 'how to read it';
COMMENT ON COLUMN kb_off.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_off.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_off.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_off.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_off.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_off.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_off.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_old_notes.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_old_notes.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_old_notes.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_old_notes.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_old_notes.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_old_notes.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_old_notes.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_old_notes.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_old_notes.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_old_notes.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_old_notes.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_old_notes.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_old_notes.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_old_notes.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_old_notes.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_old_notes.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_old_notes.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_old_notes.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_old_notes.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_old_notes.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_old_notes.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_old_notes.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_old_notes.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_old_notes.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_old_notes.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_old_notes.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_old_notes.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_old_notes.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_old_notes.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_old_notes.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_old_notes.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_old_notes.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_old_notes.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_old_notes.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_old_notes.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_old_notes.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_old_notes.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_old_notes.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_old_notes.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_old_notes.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_old_notes.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_old_notes.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_old_notes.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_old_notes.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_old_notes.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_old_notes.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_old_notes.embedding.embedding IS 'of length 1';
CREATE TABLE kb_old_notes.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_old_notes.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_old_notes.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_old_notes.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_old_notes.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_old_notes.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_old_notes.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_old_notes.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_old_notes.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_old_notes.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_old_notes.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_old_notes.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_old_notes.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_old_notes.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_old_notes.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_old_notes.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_old_notes.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_old_notes.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_old_notes.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_old_notes.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_old_notes.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_old_notes.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_old_notes.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_old_notes.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_old_notes.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_old_notes.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_old_notes.setting.value IS 'as text';
CREATE TABLE kb_old_notes.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_old_notes.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_old_notes.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_old_notes.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_old_notes.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_old_notes.source.title IS 'what to call it';
COMMENT ON COLUMN kb_old_notes.source.options IS 'how to read it';
COMMENT ON COLUMN kb_old_notes.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_old_notes.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_old_notes.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_old_notes.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_old_notes.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_old_notes.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_old_notes.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_shop.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_shop.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_shop.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_shop.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_shop.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_shop.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_shop.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_shop.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_shop.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_shop.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_shop.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_shop.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_shop.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_shop.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_shop.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_shop.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_shop.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_shop.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_shop.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_shop.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_shop.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_shop.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_shop.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_shop.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_shop.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_shop.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_shop.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_shop.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_shop.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_shop.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_shop.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_shop.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_shop.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_shop.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_shop.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_shop.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_shop.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_shop.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_shop.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_shop.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_shop.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_shop.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_shop.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_shop.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_shop.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_shop.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_shop.embedding.embedding IS 'of length 1';
CREATE TABLE kb_shop.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_shop.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_shop.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_shop.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_shop.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_shop.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_shop.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_shop.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_shop.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_shop.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_shop.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_shop.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_shop.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_shop.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_shop.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_shop.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_shop.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_shop.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_shop.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_shop.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_shop.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_shop.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_shop.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_shop.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_shop.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_shop.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_shop.setting.value IS 'as text';
CREATE TABLE kb_shop.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_shop.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_shop.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_shop.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_shop.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_shop.source.title IS 'what to call it';
COMMENT ON COLUMN kb_shop.source.options IS 'how to read it';
COMMENT ON COLUMN kb_shop.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_shop.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_shop.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_shop.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_shop.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_shop.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_shop.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_waiting.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_waiting.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_waiting.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_waiting.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_waiting.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_waiting.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_waiting.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_waiting.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_waiting.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_waiting.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_waiting.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_waiting.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_waiting.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_waiting.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_waiting.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_waiting.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_waiting.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_waiting.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_waiting.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_waiting.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_waiting.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_waiting.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_waiting.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_waiting.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_waiting.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_waiting.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_waiting.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_waiting.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_waiting.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_waiting.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_waiting.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_waiting.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_waiting.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_waiting.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_waiting.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_waiting.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_waiting.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_waiting.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_waiting.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_waiting.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_waiting.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_waiting.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_waiting.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_waiting.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_waiting.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_waiting.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_waiting.embedding.embedding IS 'of length 1';
CREATE TABLE kb_waiting.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_waiting.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_waiting.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_waiting.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_waiting.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_waiting.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_waiting.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_waiting.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_waiting.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_waiting.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_waiting.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_waiting.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_waiting.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_waiting.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_waiting.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_waiting.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_waiting.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_waiting.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_waiting.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_waiting.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_waiting.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_waiting.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_waiting.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_waiting.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_waiting.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_waiting.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_waiting.setting.value IS 'as text';
CREATE TABLE kb_waiting.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_waiting.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_waiting.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_waiting.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_waiting.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_waiting.source.title IS 'what to call it';
COMMENT ON COLUMN kb_waiting.source.options IS 'how to read it';
COMMENT ON COLUMN kb_waiting.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_waiting.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_waiting.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_waiting.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_waiting.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_waiting.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_waiting.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_web.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_web.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_web.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_web.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_web.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_web.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_web.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_web.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_web.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_web.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_web.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_web.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_web.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_web.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_web.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_web.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_web.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_web.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_web.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_web.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_web.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_web.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_web.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_web.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_web.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_web.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_web.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_web.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_web.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_web.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_web.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_web.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_web.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_web.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_web.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_web.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_web.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_web.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_web.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_web.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_web.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_web.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_web.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_web.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_web.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_web.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_web.embedding.embedding IS 'of length 1';
CREATE TABLE kb_web.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_web.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_web.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_web.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_web.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_web.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_web.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_web.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_web.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_web.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_web.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_web.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_web.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_web.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_web.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_web.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_web.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_web.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_web.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_web.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_web.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_web.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_web.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_web.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_web.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_web.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_web.setting.value IS 'as text';
CREATE TABLE kb_web.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_web.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_web.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_web.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_web.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_web.source.title IS 'what to call it';
COMMENT ON COLUMN kb_web.source.options IS 'how to read it';
COMMENT ON COLUMN kb_web.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_web.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_web.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_web.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_web.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_web.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_web.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE kb_wide.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    keyword_number bigint NOT NULL,
    length integer NOT NULL,
    tsv tsvector NOT NULL,
    text_config text NOT NULL,
    ordinal integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    page integer,
    token_count integer,
    source_type text NOT NULL,
    heading text,
    content text NOT NULL,
    metadata jsonb NOT NULL,
    content_hash bytea NOT NULL
)
WITH (toast_tuple_target='8160');
COMMENT ON TABLE kb_wide.chunk IS 'one chunk, which is a passage of a document, per row; a changed chunk is a new row';
COMMENT ON COLUMN kb_wide.chunk.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_wide.chunk.document_id IS 'the document it is a part of';
COMMENT ON COLUMN kb_wide.chunk.keyword_number IS 'its number in the keyword index; a new one whenever tsv changes';
COMMENT ON COLUMN kb_wide.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25';
COMMENT ON COLUMN kb_wide.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';
COMMENT ON COLUMN kb_wide.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';
COMMENT ON COLUMN kb_wide.chunk.ordinal IS 'position among the chunks of the document, from 0';
COMMENT ON COLUMN kb_wide.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';
COMMENT ON COLUMN kb_wide.chunk.end_char IS 'offset after the last character';
COMMENT ON COLUMN kb_wide.chunk.page IS 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none';
COMMENT ON COLUMN kb_wide.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';
COMMENT ON COLUMN kb_wide.chunk.source_type IS 'that of the document';
COMMENT ON COLUMN kb_wide.chunk.heading IS 'Markdown headings in force, outermost first';
COMMENT ON COLUMN kb_wide.chunk.content IS 'the text of the chunk, as it stands in the document';
COMMENT ON COLUMN kb_wide.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added';
COMMENT ON COLUMN kb_wide.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';
ALTER TABLE kb_wide.chunk ALTER COLUMN keyword_number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME kb_wide.chunk_keyword_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_wide.document (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    source_id uuid,
    source_type text DEFAULT 'document'::text NOT NULL,
    source_key text,
    title text,
    content text NOT NULL,
    mime_type text,
    language text,
    abstract text,
    overview text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    content_hash bytea,
    file_hash bytea,
    file_bytes bigint,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'indexed'::text, 'failed'::text])))
);
COMMENT ON TABLE kb_wide.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync';
COMMENT ON COLUMN kb_wide.document.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_wide.document.source_id IS 'the source it comes from; NULL for documents written directly';
COMMENT ON COLUMN kb_wide.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';
COMMENT ON COLUMN kb_wide.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';
COMMENT ON COLUMN kb_wide.document.title IS 'embedded and indexed with each chunk';
COMMENT ON COLUMN kb_wide.document.content IS 'the text, stored exactly as given';
COMMENT ON COLUMN kb_wide.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';
COMMENT ON COLUMN kb_wide.document.language IS 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters';
COMMENT ON COLUMN kb_wide.document.abstract IS 'a summary in a sentence or two, yours to fill';
COMMENT ON COLUMN kb_wide.document.overview IS 'a summary in a paragraph or two, yours to fill';
COMMENT ON COLUMN kb_wide.document.metadata IS 'a JSON object to filter by';
COMMENT ON COLUMN kb_wide.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';
COMMENT ON COLUMN kb_wide.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN kb_wide.document.file_bytes IS 'size of that file, in bytes';
COMMENT ON COLUMN kb_wide.document.status IS 'pending, indexed or failed; kept by a trigger';
COMMENT ON COLUMN kb_wide.document.error_message IS 'why it failed; kept by a trigger';
COMMENT ON COLUMN kb_wide.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger';
COMMENT ON COLUMN kb_wide.document.created_at IS 'when it was inserted';
COMMENT ON COLUMN kb_wide.document.updated_at IS 'when it was last written; kept by a trigger';
COMMENT ON COLUMN kb_wide.document.indexed_at IS 'when its chunks were last synced with it; kept by a trigger';
CREATE TABLE kb_wide.embedding (
    chunk_id uuid NOT NULL,
    embedding public.halfvec(2500) NOT NULL
);
ALTER TABLE ONLY kb_wide.embedding ALTER COLUMN embedding SET STORAGE PLAIN;
COMMENT ON TABLE kb_wide.embedding IS 'the vector of each chunk';
COMMENT ON COLUMN kb_wide.embedding.chunk_id IS 'the chunk';
COMMENT ON COLUMN kb_wide.embedding.embedding IS 'of length 1';
CREATE TABLE kb_wide.keyword_run (
    segment bigint NOT NULL,
    lexeme bytea NOT NULL,
    ordinal bigint NOT NULL,
    data bytea NOT NULL
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_wide.keyword_run ALTER COLUMN data SET STORAGE PLAIN;
COMMENT ON TABLE kb_wide.keyword_run IS 'the rows of larger segments, each with the lists of some lexemes';
COMMENT ON COLUMN kb_wide.keyword_run.segment IS 'the segment it is a part of';
COMMENT ON COLUMN kb_wide.keyword_run.lexeme IS 'the first lexeme in it; the empty one stands for the numbers and lengths of the chunks';
COMMENT ON COLUMN kb_wide.keyword_run.ordinal IS '0, or where it continues the list of this lexeme';
COMMENT ON COLUMN kb_wide.keyword_run.data IS 'lexemes with their postings';
CREATE TABLE kb_wide.keyword_segment (
    id bigint NOT NULL,
    tier smallint NOT NULL,
    sign smallint NOT NULL,
    chunks integer NOT NULL,
    length bigint NOT NULL,
    configs jsonb NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    runs integer NOT NULL,
    version smallint NOT NULL,
    data bytea
)
WITH (toast_tuple_target='8160', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', vacuum_truncate=off);
ALTER TABLE ONLY kb_wide.keyword_segment ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE kb_wide.keyword_segment IS 'the keyword index: one segment per row, which lists chunks with their lexemes; workers merge them';
COMMENT ON COLUMN kb_wide.keyword_segment.id IS 'in the order in which they were written';
COMMENT ON COLUMN kb_wide.keyword_segment.tier IS 'by size: segments of one tier are merged';
COMMENT ON COLUMN kb_wide.keyword_segment.sign IS '1, or -1 for chunks that were deleted or changed';
COMMENT ON COLUMN kb_wide.keyword_segment.chunks IS 'how many chunks it lists';
COMMENT ON COLUMN kb_wide.keyword_segment.length IS 'the sum of their lengths';
COMMENT ON COLUMN kb_wide.keyword_segment.configs IS 'chunks by text search configuration; the sum over all segments is that of the base';
COMMENT ON COLUMN kb_wide.keyword_segment.first IS 'the least number of a chunk';
COMMENT ON COLUMN kb_wide.keyword_segment.last IS 'the greatest number of a chunk';
COMMENT ON COLUMN kb_wide.keyword_segment.runs IS 'how many rows of keyword_run it has';
COMMENT ON COLUMN kb_wide.keyword_segment.version IS 'version of the format';
COMMENT ON COLUMN kb_wide.keyword_segment.data IS 'its only row, where it is small';
ALTER TABLE kb_wide.keyword_segment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kb_wide.keyword_segment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE kb_wide.setting (
    name text NOT NULL,
    value text
);
COMMENT ON TABLE kb_wide.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';
COMMENT ON COLUMN kb_wide.setting.name IS 'as in kb_list()';
COMMENT ON COLUMN kb_wide.setting.value IS 'as text';
CREATE TABLE kb_wide.source (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    title text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    auto_sync boolean DEFAULT false NOT NULL,
    sync_interval interval,
    last_synced_at timestamp with time zone,
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT source_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text, 'detached'::text])))
);
COMMENT ON TABLE kb_wide.source IS 'where documents come from: such as a URL or a directory';
COMMENT ON COLUMN kb_wide.source.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_wide.source.kind IS 'what it is, such as url or directory';
COMMENT ON COLUMN kb_wide.source.location IS 'its URL or path';
COMMENT ON COLUMN kb_wide.source.title IS 'what to call it';
COMMENT ON COLUMN kb_wide.source.options IS 'how to read it';
COMMENT ON COLUMN kb_wide.source.auto_sync IS 'whether a URL is fetched again by itself; for information only';
COMMENT ON COLUMN kb_wide.source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_wide.source.last_synced_at IS 'when it was last read';
COMMENT ON COLUMN kb_wide.source.status IS 'pending, processing while a URL is being fetched, indexed, failed or detached';
COMMENT ON COLUMN kb_wide.source.error_message IS 'why it failed';
COMMENT ON COLUMN kb_wide.source.created_at IS 'when it was added';
COMMENT ON COLUMN kb_wide.source.indexed_at IS 'when its documents were last complete';
CREATE TABLE public.articles (
    id integer NOT NULL,
    headline text,
    body text,
    topic text
);
CREATE TABLE public.measured (
    doc text,
    n integer,
    body text,
    v real[]
);
CREATE TABLE public.parts (
    id integer NOT NULL,
    body text
)
PARTITION BY RANGE (id);
CREATE TABLE public.parts_low (
    id integer CONSTRAINT parts_id_not_null NOT NULL,
    body text
);
ALTER TABLE ONLY public.parts ATTACH PARTITION public.parts_low FOR VALUES FROM (0) TO (100);
COPY kb_cloud.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1ca5-7758-bab3-3478dce05fcd	01a21b3d-1ca4-7a9b-9815-e98c7226aaa6	1	3	'cloud':5 'fall':3 'rain':1A	pg_catalog.english	0	0	21	\N	\N	document	\N	It falls from clouds.	{"title": "Rain", "chunkIndex": 0}	\\x85c530ac6b11313a8c201d61927a5df5
\.
COPY kb_cloud.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1ca4-7a9b-9815-e98c7226aaa6	\N	document	\N	Rain	It falls from clouds.	\N	\N	\N	\N	{}	\\x81823ffe88a74d51d4915f1d90394cf5938ebd29eb36f17bd2d2bd332d184287	\N	\N	pending	\N	f	2026-11-27 04:21:59.588474+00	2026-11-27 04:21:59.588474+00	\N
\.
COPY kb_cloud.embedding (chunk_id, embedding) FROM stdin;
\.
COPY kb_cloud.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_cloud.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	3	{"pg_catalog.english": 1}	1	1	0	1	\\x00010301020305636c6f756401030100020466616c6c0103010002047261696e010401001101
\.
COPY kb_cloud.setting (name, value) FROM stdin;
id	01a21b3d-1c9b-7893-aae2-e17c7d6b7a89
name	cloud
embed	auto
model	company/m
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	4
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	0.25
\.
COPY kb_cloud.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_cut_code.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1d50-7a7e-863c-54c05473cace	01a21b3d-1d4f-7978-aa9b-a32602f64d03	1	7	'fn':1,5 'lake':6 'rest':7 'river':2 'run':4 'sea':3	pg_catalog.english	0	0	57	\N	23	code	\N	fn river() -> Sea {\n    run()\n}\n\nfn lake() {\n    rest()\n}	{"chunkIndex": 0}	\\x7fb697594aebcd6c03e9362f609bd19f
\.
COPY kb_cut_code.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1d4f-7978-aa9b-a32602f64d03	\N	code	\N	\N	fn river() -> Sea {\n    run()\n}\n\nfn lake() {\n    rest()\n}\n	text/x-rust	\N	\N	\N	{}	\\xd8346d4eecf6ee3b1ee8ca861b37f2d89c8f36b7cbfd20c07901aa7f985be579	\N	\N	indexed	\N	f	2026-11-27 04:21:59.759419+00	2026-11-27 04:21:59.759419+00	2026-11-27 04:21:59.759419+00
\.
COPY kb_cut_code.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1d50-7a7e-863c-54c05473cace	[-0.00067127513,0.102168515,0.004419234,-0.055753328,-0.016872453,0.015650071,0.002094431,0.042341784,-0.011643586,-0.054487422,0.0071287616,-0.058964584,-0.069495596,-0.022705827,-0.022351822,-0.015348028,-0.07759359,0.017505119,-0.0046865796,0.0019047888,0.015360753,0.06938501,0.0017089589,-0.008027379,-0.07933941,0.029011155,-0.01890627,0.030296847,-0.00031916858,-0.04050114,-0.024848327,0.039317578,-0.047928467,0.036105737,0.008151431,0.087890364,-0.04601307,-0.070853926,-0.040892653,-0.019893032,0.003315118,-0.0551903,0.06353715,0.046267387,0.044732343,0.032508954,-0.024351442,-0.026674196,-0.017563885,0.06288892,-0.030982316,-0.05712318,-0.10271451,0.009783446,0.071360484,0.09223307,-0.0794408,-0.01221023,0.002185705,-0.0009670098,0.04560426,-0.01113904,-0.06167314,0.023575474,0.09286128,-0.052111562,-0.065195285,0.009720973,0.009496962,0.02227011,0.05430358,0.0503428,-0.046343524,-0.10684945,-0.053086706,-0.04635017,0.0036988067,0.03251564,-0.024290837,-0.05605392,0.054539166,-0.03009294,-0.018804839,-0.000378593,0.02407301,0.08840338,-0.029194523,-0.083377525,0.062363863,0.015710777,-0.062638305,-0.035700243,0.004904921,-0.022713257,0.009029599,0.04369866,-0.026229423,-0.033950616,0.0039845393,0.04522083,0.009954522,0.023117255,0.05525317,0.008240189,0.041090954,-0.06092669,0.003674417,0.06281966,0.003008535,-0.059656058,-0.030507732,-0.04937421,0.06410853,0.05207043,-0.004732741,0.009548907,-0.050740223,-0.081832536,0.013400785,0.06718732,-0.033229344,0.0058841542,-0.016276116,0.07307235,0.010633449,-0.015603001,0.025915723,-3.6640265e-33,0.04995954,-0.15493952,0.04923588,-0.054476228,0.047624614,-0.040450357,0.0125486655,-0.017006591,-0.016360335,0.017567165,-0.12288597,0.013482185,-0.0798515,0.041855294,0.07266767,-0.08725557,0.07866633,-0.069206096,-0.028966615,-0.011541959,0.13322425,0.050044127,-0.00025927814,-0.1629508,0.016625416,-0.040250797,-0.0018839871,0.029854301,-0.0025214867,0.04610273,-0.0077884994,-0.08855697,-0.022129659,0.014595368,0.07376487,0.007653681,0.0059000854,0.047488555,-0.06599473,-0.025106229,-0.054337397,0.004574895,-0.07210671,0.024489678,0.07338051,-0.07084528,-0.031366717,0.09302078,0.023173176,0.07159011,0.027111134,0.015834292,0.024150865,-0.0127912825,0.015251149,-0.0043580392,-0.040728178,0.052329544,-0.09749909,0.13441701,-0.04673864,0.024147604,-0.037183058,-0.00040479598,0.037876274,0.10029828,0.051954232,0.03875194,0.09260468,-0.083836906,-0.07483767,-0.042624813,0.016249683,0.05964918,0.037846826,0.03702063,-0.02118754,-0.074503474,-0.09289452,-0.0144820735,-0.0025116352,0.025552515,-0.032593466,0.07592237,0.006356129,0.009734128,0.017305268,-0.12858815,0.087146774,0.0002491167,-0.0594628,-0.043847017,0.05205227,-0.06769436,0.034858704,9.772134e-34,0.0716762,-0.022790054,-0.09146927,0.026555358,-0.036333054,-0.038893078,0.104960024,-0.006838137,-0.009593566,0.07193921,-0.10488573,0.00786348,0.007500846,-0.015924731,0.009716375,0.008145354,0.003281806,0.047156446,-0.002162431,0.08234452,-0.06667555,0.012339644,0.05686704,0.04199671,0.014734058,0.07542567,0.05240258,-0.013578511,-0.04222075,-0.030714886,-0.051027928,-0.023014218,0.059738085,-0.07703479,-0.08884766,0.022520607,0.10623849,0.022231014,0.040223077,-0.021685936,0.08411434,-0.049170755,0.08198276,-0.009245929,-0.0238535,0.06302942,0.0045045656,0.030065982,-0.10587374,0.011920013,-0.011864745,-0.058843978,-0.029109867,0.018446226,0.048952483,-0.044431917,0.15615985,0.015354669,-0.06529453,0.051531952,0.01752242,-0.086803645,0.040422864,-0.015908984,0.053842388,-0.005816138,-0.04083507,0.030372512,-0.015322927,-0.022321308,-0.034645498,0.020507706,-0.03029319,0.0069332235,-0.0037491778,-0.051805582,-0.059167206,0.020178704,0.0049071494,0.0548958,0.0009281935,0.013518833,-0.0038402167,-0.04187321,0.003581047,-0.036759607,0.036933936,-0.086209245,-0.012366736,-0.019737698,0.06451702,0.040226903,-0.091589764,0.09065434,-0.018828092,-2.2116872e-08,0.013103878,0.004580934,0.031848278,0.028201848,0.035077725,-0.0662762,0.07898086,0.04630662,-0.002450806,-0.07292675,-0.013239042,0.038954746,-0.019225944,-0.056929037,0.022220597,-0.05819919,0.053550992,-0.04567412,-0.05819194,-0.06318528,-0.07552489,0.001963144,-0.083665796,0.05626994,-0.023096647,-0.027596103,-0.038000397,-0.021348262,0.06981122,-0.054049414,0.07835437,0.049018566,0.023159329,0.016899507,-0.03610483,0.022353148,-0.010964474,0.03922715,-0.031958498,0.033277314,-0.045037366,0.06638395,0.021279352,-0.03161118,0.065804,0.03976975,0.08180348,0.031167308,0.020234484,-0.05606731,-0.060556702,0.021348968,0.016108545,0.006090119,0.028036002,0.07213698,0.03272328,-0.074837305,-0.13207935,0.057296023,0.020524265,0.04068876,0.04849324,0.030329566]
\.
COPY kb_cut_code.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_cut_code.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	7	{"pg_catalog.english": 1}	1	1	0	1	\\x00010301020702666e0103010004046c616b6501030100020472657374010301000205726976657201030100020372756e0103010002037365610103010002
\.
COPY kb_cut_code.setting (name, value) FROM stdin;
id	01a21b3d-1d05-777c-9fad-a654e7ac23db
name	cut code
embed	auto
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	ts_rank
bm25_k1	1.2
chunk_size	60
chunk_unit	token
dimensions	384
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	8
chunk_strategy	code
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_cut_code.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_cut_markdown.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1d42-712f-ab3a-5db3a8d0a52f	01a21b3d-1d40-7d70-90fd-9699e2494327	1	20	'river':1B,2 'run':4,9,14,19,24,29,34,39,44 'sea':7,12,17,22,27,32,37,42,47	pg_catalog.english	0	0	198	\N	56	document	Rivers	# Rivers\n\nThey run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea.	{"heading": "Rivers", "chunkIndex": 0}	\\x70f7d967056c4b57740191b450056dc3
01a21b3d-1d46-78f5-96f9-e7ce97542803	01a21b3d-1d40-7d70-90fd-9699e2494327	2	21	'river':1B 'run':3,8,13,18,23,28,33,38,43,48 'sea':6,11,16,21,26,31,36,41,46,51	pg_catalog.english	1	178	387	\N	60	document	Rivers	They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea.	{"heading": "Rivers", "chunkIndex": 1}	\\x68c80ad4cbc01dfe44601bbe1683ad10
01a21b3d-1d4a-7ac8-9b96-66178f12d77c	01a21b3d-1d40-7d70-90fd-9699e2494327	3	9	'lake':17 'rest':19 'river':1B 'run':3,8,13 'sea':6,11,16	pg_catalog.english	2	367	452	\N	24	document	Rivers	They run to the sea. They run to the sea. They run to the sea. \n\n## Lakes\n\nThey rest.	{"heading": "Rivers", "chunkIndex": 2}	\\x84e00f137777ade116ab8e93827574c3
\.
COPY kb_cut_markdown.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1d40-7d70-90fd-9699e2494327	\N	document	\N	\N	# Rivers\n\nThey run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. They run to the sea. \n\n## Lakes\n\nThey rest.	\N	\N	\N	\N	{}	\\xd21537412570631e35da7f89a165427fc1be199f51f2d9dc91df3ae3aa03f234	\N	\N	indexed	\N	f	2026-11-27 04:21:59.744635+00	2026-11-27 04:21:59.744635+00	2026-11-27 04:21:59.744635+00
\.
COPY kb_cut_markdown.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1d42-712f-ab3a-5db3a8d0a52f	[0.052326247,0.06803924,0.04096213,0.0028887144,-0.04998227,0.040156998,-0.0064291465,-0.039545737,-0.034666475,-0.058302633,-0.008244252,-0.12069945,-0.037514135,-0.013192003,-0.044052575,0.057254493,-0.115106404,0.043375604,-0.02094106,-0.002677002,0.026350949,0.05874591,-0.012992253,-0.0125894835,-0.055209283,0.03781998,-0.015185594,-0.038078208,-0.051730506,-0.020524213,-0.04731638,0.00028887167,-0.03603613,-0.019097408,0.02153899,0.052179318,0.011147875,0.054778367,0.0071365396,0.116588905,0.04727689,-0.054019876,0.012835638,0.07875872,-0.011431294,0.046240777,0.00083292904,-0.0074225795,0.0011759526,0.04550103,-0.06257207,-0.09510194,-0.079966664,0.07652436,-0.03461897,0.03269167,-0.03772426,0.009881793,0.013101405,0.070498124,-0.02137355,-0.012605135,-0.042958133,0.024812443,0.00671016,0.00040831845,-0.014134319,0.08466044,-0.055816058,0.021327095,0.07537274,0.08814475,-0.002930349,-0.012145018,-0.037523888,-0.08361598,0.02011511,0.009844675,-0.051981978,-0.038875513,-0.065922596,-0.08665587,-0.05632674,-0.06926101,0.005673667,0.06376781,-0.050372787,-0.113204315,0.007411968,0.012973187,-0.057862293,-0.073385514,0.08019109,-0.02288718,0.064570524,0.059919484,-0.04265304,0.008475206,0.015715968,-0.024871675,0.056149196,-0.011624679,0.05106763,0.03712733,0.0002834392,-0.0413409,-0.042188823,0.06452933,0.054960217,-0.065449916,-0.001916448,-0.044866715,0.06793407,0.023443006,-0.023700107,-0.03573991,-0.1449355,-0.04800289,0.05990595,0.01206274,-0.0023829355,0.053163137,0.020687137,0.017801011,0.035050496,0.025955398,0.059040252,-2.5366661e-33,0.020231983,-0.07867826,0.106049195,0.049370445,-0.03227709,-0.061063506,-0.033019748,0.021465506,-0.038928594,-0.020618524,-0.092612304,-0.0155918375,-0.10446809,0.09071342,0.0054928605,-0.027674105,0.033437885,-0.061494134,0.010840442,0.025048312,0.076358624,0.067869164,-0.014182155,-0.046645366,-0.06835546,-0.107599474,0.016252896,0.0038140528,0.006644496,0.063439,-0.08028699,-0.05805861,-0.0034814053,-0.0019651565,-0.0267289,-0.023066958,0.03423961,0.052191854,0.0028179334,0.03468089,-0.04634976,-0.03586766,-0.038180314,0.03931733,0.06226975,0.024025155,0.029151842,0.061079875,0.041934088,0.06693669,-0.0046682823,-0.05165171,-0.013321734,0.021706177,0.006388609,-0.014597196,-0.04106696,0.06535389,-0.0845464,0.078424476,0.022801837,-0.00889642,0.022947246,0.04463416,0.05876313,0.103671566,0.062426727,-0.019327836,0.059864234,-0.049454533,-0.14241731,-0.036419757,0.008880118,0.092082694,0.06759622,0.034531698,-0.0058404473,-0.059779458,-0.042261932,0.04805309,-0.041221313,0.038579598,-0.009504248,0.09097992,0.060381714,0.037940625,0.00908646,-0.17435922,0.047556896,-0.0366022,-0.039966267,0.01438365,0.053658772,-0.021458006,0.070946336,-1.6870662e-33,0.024856146,0.059610695,-0.033660978,0.03498342,-0.022945704,-0.028150896,0.04854952,-0.008788314,0.07577446,0.044825774,-0.13725561,-0.0027767257,-0.060085777,-0.015922325,0.015320138,-0.08001448,0.12453798,0.0120082,-0.00829888,0.01662978,-0.05845316,-0.04681923,-0.0061629415,-0.011151889,-0.01801839,0.040166207,0.0661094,-0.049366955,0.047694497,-0.0074779536,0.016543651,-0.07720036,0.07469333,-0.13467428,-0.08214893,0.031218585,0.040386066,-0.01654367,0.029983068,0.0093102,0.051119793,-0.02244107,0.1176164,-0.064833745,-0.014825192,0.07035745,-0.02346804,0.041787498,-0.122341745,-0.007966037,-0.005998044,0.018216485,-0.054211956,-0.011250533,-0.002840356,-0.13356523,0.07747277,0.038267232,0.004059402,-0.008945703,-0.073990054,0.03017665,-0.031942807,-0.0056149554,-0.042931903,0.021416813,-0.048331644,-0.019513838,-0.003157211,-0.044217236,-0.062125847,-0.006407847,-0.10887047,-0.048792165,0.020915559,-0.015842669,-0.13915841,0.040797133,-0.026113281,-0.0073189912,0.034390345,0.05249388,0.03773581,0.009710962,-0.007358717,-0.040643606,0.058219925,-0.056328475,0.0016996503,0.0072822915,0.061982792,-0.044560216,0.003481617,0.036750223,-0.057052255,-3.2763342e-08,0.03083234,0.02123562,-0.0041133384,0.02173322,-0.0046460186,0.037130788,0.017085968,0.08752598,0.034919415,0.010320876,0.0030104255,0.02699382,-0.043931685,-0.039343838,0.060382936,-0.04161336,-0.028472535,-0.058196858,-0.034325313,-0.03870979,-0.031469427,-0.0065301224,-0.08670437,0.08789636,-0.010994549,-0.033570927,-0.051309682,-0.035070542,0.0799381,-0.037383158,0.048901096,-0.001603503,-0.033343147,0.037614822,0.02524273,-0.03414572,-0.039990287,0.0048484625,0.01376537,-0.028410036,0.0033008857,0.024120027,-0.013407354,0.0050318153,0.058552664,-0.009321609,0.029566225,-0.037542418,-0.026711725,-0.012971131,-0.052612077,0.039127387,0.073871724,0.04377675,0.010056019,-0.013319194,-0.061096538,-0.1025486,-0.07461609,0.023169309,0.041328482,0.08048856,0.0629325,0.030994955]
01a21b3d-1d46-78f5-96f9-e7ce97542803	[0.05963555,0.07068953,0.02832807,0.02153526,-0.04797297,0.03426914,-0.013872426,-0.05668866,-0.044650033,-0.03510451,0.014870814,-0.11582312,-0.0405322,-0.016976632,-0.016445301,0.05517403,-0.12110029,0.058480725,-0.03612179,-0.001503013,0.025080219,0.038621347,-0.00999813,-0.020129144,-0.084157586,0.048936915,0.0067187157,-0.04057396,-0.06481177,-0.025257567,-0.072262965,0.005598857,-0.019896707,-0.0059206556,0.0061709112,0.056514334,0.029194418,0.050574195,0.018457668,0.11559895,0.03445646,-0.0587546,0.011471102,0.10024532,-0.013539369,0.01728678,0.011300663,0.0092846695,0.0055062645,0.045126744,-0.059192587,-0.105578,-0.0910362,0.06177015,-0.025461806,0.040877312,-0.04808705,-0.009792437,0.025255159,0.051469754,-0.01299559,0.011492685,-0.042941295,0.04348322,0.02563721,-0.010404335,-0.03444767,0.060863942,-0.06542045,0.029506896,0.07697059,0.075189225,-0.0051845694,0.0002509308,-0.05467704,-0.08775404,0.016324446,-0.014142664,-0.07330829,-0.06183692,-0.049888734,-0.061865084,-0.053210936,-0.057862647,0.032443963,0.048859082,-0.03316277,-0.100902915,-0.015398776,0.013831247,-0.046808276,-0.08758706,0.052531235,-0.017523082,0.06332591,0.04743511,-0.05115338,0.016422816,0.03391318,-0.020757588,0.058025833,-0.031431947,0.053873982,0.03867724,-0.0068091215,-0.050090484,-0.07530923,0.06821452,0.030152682,-0.061925847,-0.014438612,-0.049969494,0.064294256,0.026999626,-0.024519352,-0.031594876,-0.16056316,-0.036148835,0.04347094,0.025870074,0.004680229,0.058154095,0.036781423,0.03178085,0.0236233,0.033118483,0.047898043,-2.3041003e-33,0.01517399,-0.08596399,0.10312582,0.06205649,-0.034455884,-0.05302138,-0.041593537,0.004194413,-0.044072513,0.0009171642,-0.111064345,0.0236472,-0.098509714,0.094137274,0.00048370258,-0.012744114,0.02916368,-0.062118217,-0.008872571,0.010936859,0.08218951,0.11237423,0.0031342774,-0.06717339,-0.038975894,-0.118553154,0.0055555166,-0.02170814,-0.021155568,0.062368177,-0.086504124,-0.04967923,-0.0134254005,0.009253221,-0.014767684,-0.00017237278,0.03440734,0.032018665,-0.03096769,0.015195869,-0.055904597,-0.05427546,-0.043753557,0.043383636,0.046277363,0.0067703067,0.027286507,0.058778692,0.046969455,0.058477767,0.00012379415,-0.058396235,-0.01700853,0.016223965,0.01578551,-0.0025693467,-0.008559137,0.055243947,-0.0780079,0.090800494,0.014914695,-0.012680697,0.0049232864,0.051406622,0.056174766,0.11711883,0.04019155,-0.03440007,0.05764591,-0.052589405,-0.12692022,-0.041519307,0.0070551015,0.10227017,0.05556138,0.02518214,0.0039952327,-0.07333661,-0.070590846,0.029545015,-0.035373088,0.027571075,-0.02702829,0.086473204,0.03442029,0.03332738,0.015309101,-0.16533269,0.061940968,-0.025314339,-0.07097069,0.0143384375,0.08352203,-0.03207611,0.06260246,-2.3742426e-33,0.018899003,0.06344404,-0.026101064,0.031154342,-0.013629493,-0.0054233624,0.04013379,-0.012444684,0.040864125,0.03949115,-0.15164131,-0.022641852,-0.002665458,-0.02075179,0.011925713,-0.06837159,0.12576574,0.026571153,0.01023614,0.00820081,-0.04666279,-0.05258166,0.0014959853,-0.016689975,-0.015520005,0.04633436,0.06699029,-0.035901226,0.011765575,-0.013340437,0.0077777817,-0.062166575,0.054221958,-0.14462095,-0.11023233,0.03393891,-0.008249111,-0.0102608325,0.011966252,0.004266221,0.020214783,-0.032417137,0.11637889,-0.0520156,-0.02706628,0.0508994,-0.0077139335,0.053100962,-0.12982838,-0.041297715,0.008464022,-0.0018615426,-0.021593696,-0.02420037,0.014469013,-0.11087357,0.06028573,0.009506266,0.021597,0.0026795361,-0.05965257,0.0078091593,-0.01895962,0.006923704,-0.04655803,0.0047260923,-0.02951332,-0.00085382094,-0.0056636175,-0.041871388,-0.05431399,-0.0037573946,-0.12844583,-0.03811674,0.029868303,-0.0076409187,-0.14903283,0.045133907,-0.011968066,-0.01247394,0.022930684,0.03540712,0.040573884,0.028087197,-0.025498122,-0.022508292,0.051969755,-0.0735372,0.039008647,0.012074568,0.08494236,-0.0211285,0.016127752,0.017973274,-0.033312,-3.2383493e-08,0.040006142,0.058977634,0.033502433,0.02957751,-0.003521395,0.04363209,0.044794954,0.10855939,0.030425368,0.002463949,-0.0035030157,0.02517697,-0.03819357,-0.02426635,0.073732086,-0.031015411,-0.010505821,-0.053817626,-0.0353709,-0.020932823,-0.023051906,0.008052226,-0.07610018,0.09937136,-0.014070177,-0.013113352,-0.035328526,-0.042299405,0.07476831,6.855091e-05,0.028940106,-0.022712056,-0.06876788,0.026777321,0.021014161,-0.0057148593,-0.052491292,-0.0016178011,0.0029394377,-0.021923538,-0.005568304,0.031863052,-0.0076986044,0.013240087,0.048228722,-0.008915495,0.012168233,-0.042224243,-0.027367214,-0.0240319,-0.058301847,0.026390573,0.065204255,0.024163067,0.013752257,0.005649084,-0.06352473,-0.08107069,-0.07695044,0.053165335,0.0012018048,0.07123158,0.03545684,0.053932756]
01a21b3d-1d4a-7ac8-9b96-66178f12d77c	[0.08404718,0.0730965,0.043858882,0.0017467788,-0.02947617,0.023261612,0.025687829,-0.08580556,-0.040978327,-0.042910434,0.019945793,-0.08604321,-0.03813776,-0.031061923,-0.02176651,0.08289256,-0.05743269,0.0011934474,-0.010819127,-0.022252908,0.016935961,0.060571536,0.005241327,0.010555879,-0.04606314,0.056109335,-0.05753625,-0.022716705,-0.041003305,-0.014719157,-0.08101629,0.01877302,-0.0282278,0.017681245,0.038379367,0.05772659,-0.012785859,0.014894224,0.011034752,0.07174445,0.051626354,-0.06447374,0.03627006,0.11311463,-0.043452695,0.0068086777,-0.057347044,0.008610023,0.022389501,0.052256215,-0.030719927,-0.12075894,-0.084432654,0.084584355,0.006275593,0.06122789,-0.091223605,-0.037250392,0.055785563,0.074288286,0.0174021,0.013427216,-0.027577756,0.01036757,-0.0078044427,-0.0028011089,-0.06935715,0.05901405,-0.063542314,-0.008570387,0.06080253,0.051812213,-0.033334874,-0.051161926,-0.0663771,-0.05157389,-0.020565115,-0.013375904,-0.036344044,-0.064258,-0.09498297,-0.07684671,-0.0067402935,-0.022862408,0.040035315,0.031202111,-0.000116218216,-0.096406594,0.006150749,0.0056732525,-0.09207526,-0.10159656,0.031517923,-0.03298735,0.037104778,0.03673249,-0.012686368,-0.02133619,0.00621329,0.013290423,0.06585327,-0.03265996,0.06908444,0.017647611,0.014249777,-0.041645255,-0.08152348,0.05687774,0.05233486,-0.03017781,-0.0056635644,-0.04391748,0.05618993,0.07822115,0.003911971,-0.0819981,-0.09269003,-0.026243038,0.026779452,0.016386854,-0.06550118,0.05804005,0.013533157,-0.0010616053,0.03727185,0.044244394,-0.019590355,-3.3971882e-33,0.037652235,-0.08720791,0.08843562,0.05538686,-0.0017585404,-0.039722808,-0.019878168,0.018528374,0.018586243,0.0036135819,-0.15432422,0.017842302,-0.09855594,0.03366775,0.015651144,-0.06344931,0.0125904,-0.061199192,-0.056545496,0.011474177,0.05855183,0.11101023,0.027356353,-0.085132085,-0.025754739,-0.10658341,-0.0414239,-0.022809891,-0.039001867,0.07209256,-0.009930629,-0.075098254,-0.004068964,0.00057799154,0.0013360153,-0.0031895905,0.038944885,0.03815174,-0.041114844,0.03377843,-0.057619445,-0.03340909,-0.06280061,0.045916397,0.03593163,0.0048463433,0.04033285,0.08308166,0.050576624,0.037977003,-0.012418272,-0.0098275365,-0.04561632,-0.017979497,0.019717876,0.008159741,0.009638802,0.0664951,-0.0660947,0.09161725,0.0024739006,0.00021000505,0.0035869712,-0.03152151,0.09281928,0.06018838,0.058860224,0.01827455,-0.014391008,-0.033250626,-0.060021333,-0.031408302,0.011735227,0.08053517,0.038288962,0.0029194676,0.01571811,-0.047884572,-0.0576824,0.036555067,-0.004149271,0.014446617,-0.0390408,0.06665136,0.024219297,0.00557127,0.021194637,-0.18324545,0.07257879,-0.028764943,-0.06547814,0.009577051,0.053476557,-0.05311696,0.018824233,4.8264756e-34,0.03847902,0.004505147,-0.059595574,0.031373214,0.0050438996,-0.054466497,0.045765918,0.025327582,0.046755653,0.029818412,-0.17282914,-0.0075357077,-0.013834939,0.032263987,0.016891954,-0.056908328,0.11791837,0.04362587,-0.0085998755,0.0082640685,-0.03255052,-0.04359496,-0.013936605,0.03223284,0.017899094,0.071998835,0.032362908,-0.06147382,-0.012182638,-0.042042136,-0.02428131,-0.037087686,0.06682987,-0.11195183,-0.10924564,0.017759785,-0.020927027,-0.008365536,0.028651644,0.033887446,0.05731477,-0.07065453,0.11962438,0.0064457897,-0.03402155,0.07751662,0.03813352,0.06618589,-0.15581822,-0.0017881364,0.02908397,-0.030619837,-0.036821783,-0.0073068216,0.007948699,-0.10635669,0.036745533,0.02515316,-0.008245483,-0.00054021395,-0.04855946,0.0018299181,0.020140471,0.08074236,-0.033480555,0.0049095727,-0.058649585,-0.019893007,-0.052132588,-0.049906656,-0.058852695,-0.015724761,-0.09534591,-0.01976081,0.0028360093,0.015452416,-0.09830115,0.024378227,0.017779097,-0.039301682,0.041639112,-0.0031868806,0.024308568,0.002084394,0.004458955,-0.016769547,0.08117182,-0.08383557,0.035231814,0.024222534,0.062975585,-0.0066605317,-0.042988997,0.05398258,-0.034968615,-2.3320784e-08,0.0656276,0.06891302,0.024337418,0.05762276,-0.012611017,0.009417117,0.08246087,0.113414906,0.062071,0.0050689396,-0.02033336,0.021292288,0.008667567,-0.0025227084,0.04927835,0.012159914,0.01900139,-0.058991555,-0.03144047,-0.014272888,-0.10193385,-0.004153367,-0.03963463,0.05039912,-0.005551245,-0.006117846,-0.010862343,-0.008798517,0.10273557,0.009824832,0.048061255,0.02212061,-0.073359735,0.021372277,0.017778108,0.023609161,-0.008867748,-0.0045467177,0.018047683,-0.06731267,-0.07135584,0.086033,0.006700756,-0.00024278447,0.073062666,-0.0022611688,0.05198229,-0.0006053535,-0.046064973,-0.01437196,-0.06110439,-0.0024229118,0.09673055,0.052934974,0.026645146,-0.008466785,-0.017709356,-0.07985194,-0.07603733,0.060439136,0.015656928,0.04625124,0.069774546,0.049373183]
\.
COPY kb_cut_markdown.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_cut_markdown.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	3	50	{"pg_catalog.english": 3}	1	3	0	1	\\x00030703021402150209046c616b65010301020204726573740103010202057269766572030b03000b01010109010109010372756e03070300120114010603736561030703001201140106
\.
COPY kb_cut_markdown.setting (name, value) FROM stdin;
id	01a21b3d-1cfc-73a9-a567-39f243372976
name	cut markdown
embed	auto
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	ts_rank
bm25_k1	1.2
chunk_size	60
chunk_unit	token
dimensions	384
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	8
chunk_strategy	markdown
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_cut_markdown.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_cut_none.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1d6e-7bf3-96ce-2b07f2c166c9	01a21b3d-1d6d-78c8-909a-bd15dc23a566	1	2	'short':2 'text':3	pg_catalog.english	0	0	13	\N	4	document	\N	A short text.	{"chunkIndex": 0}	\\xdaf80b72d5b6ef6854d253746dcf98d5
\.
COPY kb_cut_none.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1d6d-78c8-909a-bd15dc23a566	\N	document	\N	\N	A short text.	\N	\N	\N	\N	{}	\\x5a3243102ab4594811d6c569f15e98c3f4bc4a07483c4842781ca52f3fcbd2c7	\N	\N	indexed	\N	f	2026-11-27 04:21:59.789413+00	2026-11-27 04:21:59.789413+00	2026-11-27 04:21:59.789413+00
\.
COPY kb_cut_none.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1d6e-7bf3-96ce-2b07f2c166c9	[0.0024873135,0.15702711,0.018526409,0.032156646,-0.005624532,0.04774339,0.08406044,0.036776945,0.09490012,-0.019312236,0.054089405,0.051833734,-0.017636139,-0.057453103,0.012090979,-0.021187726,-0.018247567,-0.016672857,-0.0449137,-0.0011594543,0.022186404,0.081234686,-0.009016609,0.07956642,-0.062705204,0.024723101,-0.091905385,0.044405315,0.028901765,0.019906372,5.473921e-05,0.05990214,0.16248539,0.048690036,-0.051771775,0.03994223,-0.029015293,0.028677603,0.04713904,-0.019713469,-0.006298404,-0.1070047,0.027475774,0.11423401,-0.041446842,-0.028032916,-0.027843658,-0.007984592,-0.009859445,0.01239303,-0.051233616,-0.03861997,-0.047788188,-0.0001629954,-0.0029472525,0.0045239413,-0.026359035,-0.015381576,-0.0064990283,0.030917432,0.0270243,-0.025666425,-0.07113219,0.06515856,0.10110178,-0.03066055,-0.025074266,0.015618111,-0.09950714,0.0070613436,-0.030325972,-0.04106499,-0.027605137,0.16810784,-0.0497053,-0.098590195,0.0081312945,-0.043634802,0.0010676828,0.0058593065,-0.05745832,-0.038502507,0.010704653,0.09597228,0.012400457,-0.027798733,0.057668496,-0.055677705,-0.022259261,-0.01572456,0.017870411,-0.08490243,0.059311055,0.015411432,-0.08001551,0.016032003,-0.02544354,-0.075128056,-0.07303012,0.12891853,0.04324692,0.046713974,0.0035317983,0.031923458,-0.085674606,-0.06107922,-0.022487003,-0.02140841,-0.020985316,-0.04730573,-0.014282181,-0.024834586,-0.07442166,-0.008704768,0.016348924,-0.03586899,-0.015763381,-0.033124268,0.025839824,0.06197386,-0.024767093,-0.036582455,-0.07448564,0.024770252,-0.054058246,0.028738406,0.058265563,-7.7290546e-33,-0.0051388317,0.072935775,0.032183163,0.10150071,0.021569796,0.061412167,-0.071841486,-0.041740704,-0.045025177,0.027168475,0.004912338,-0.026688104,-0.013511881,0.050932962,0.025261912,-0.06837085,-0.04728814,0.07990095,0.0070665213,-0.01990373,-0.068317056,0.044270325,0.05855218,0.010294921,0.017428877,-0.04013515,0.0067644143,-0.08816401,-0.016921034,0.0046847425,-0.053719815,0.044010557,0.069337316,-0.07242263,0.009144957,-0.06016475,0.0072716735,-0.02858369,0.003296912,-0.0044124275,-0.08601109,-0.0076022553,0.015196911,-0.075993486,-0.0008082836,-0.015661508,0.0022200595,0.032997638,-0.047621712,0.039104033,0.045134466,-0.011780599,-0.0030306596,-0.002808299,0.023506898,0.03842252,0.00070997135,0.015138765,-0.02160737,0.03137077,0.015559769,0.090909444,-0.06079934,0.03581179,7.4757365e-05,-0.036191244,-0.053694226,-0.043201536,0.11410638,-0.052203685,-0.04554264,-0.032839973,0.01854171,0.03009938,-0.046947576,0.03723874,-0.016348299,0.0007395077,-0.029145908,-0.021520896,-0.074871756,-0.110290624,0.04020257,-0.007960638,0.013464594,0.00093566586,0.002318366,-0.12886883,0.004849815,-0.04364107,-0.11811787,-0.006141739,-0.046433274,-0.013320395,0.0863763,5.094478e-33,0.010609233,-0.039464112,-0.07923322,0.053739917,0.07772107,0.03929931,0.0113201495,0.11757787,-0.0336134,0.03888669,-0.025719652,0.0048229275,0.050846286,-0.022530824,0.026508147,-0.010147196,0.103556566,-0.04234683,0.07732746,0.049069192,-0.019022383,-0.03136547,-0.06489399,0.013986587,-0.011816674,0.037893374,0.07818071,-0.032405984,-0.09884962,-0.06114381,-0.060406093,-0.04055615,-0.03221961,0.012301191,-0.05844424,-0.0062997346,0.07679081,-0.04879997,-0.03313546,0.02651468,0.1302934,0.00042182868,0.050280094,0.059242547,-0.03427816,0.0065382677,-0.0890501,0.016543867,0.05672409,0.046130817,0.0012511386,-0.037814744,-0.014824432,-0.003227231,-0.068446025,-0.0870018,-0.104547694,0.015555564,0.009589205,-0.00584289,-0.031822655,-0.017702408,-0.023865601,0.055249732,0.062827185,-0.012883697,0.012776781,0.041746225,-0.008624558,0.031417858,0.14002912,0.029476317,-0.05195578,-0.03398472,-0.008352617,0.037359655,-0.053224307,-0.023256464,-0.08488076,-0.00088937895,0.08713769,-0.03054044,-0.044274714,-0.018465808,0.026499823,-0.03635734,-0.035305686,0.03693995,-0.009960872,0.06213418,-0.004009591,0.074556775,0.0261762,0.05384165,-0.06714924,-1.618441e-08,0.03031903,-0.065840624,-0.039381642,-0.037072293,0.04598181,0.10733818,0.020025454,-0.11309749,-0.010768672,-0.031910688,0.006242932,-0.0021775875,-2.1354705e-05,0.026131827,0.0070209866,0.018148685,-0.006192664,-0.029148264,-0.019694977,0.048116405,0.07461571,0.06242271,-0.028327947,-0.0010763209,-0.05353037,0.035812326,-0.022164118,0.0752294,-0.043416306,-0.032306053,0.050845854,0.13498844,-0.048763234,-0.027699571,0.0022788774,0.037817415,0.0746041,0.020865247,0.07603703,0.013797144,-0.030796753,0.06582635,-0.032328334,-0.03590729,0.041949734,0.039526176,-0.009170087,-0.08917282,-0.016228603,0.016003963,0.055641245,-0.07483261,0.10101834,0.029508665,-0.0420504,-0.012156625,0.057526574,0.08690428,-0.060304012,0.008911778,0.04330886,0.06987361,0.024848828,0.020720096]
\.
COPY kb_cut_none.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_cut_none.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	2	{"pg_catalog.english": 1}	1	1	0	1	\\x0001030102020573686f7274010301000204746578740103010002
\.
COPY kb_cut_none.setting (name, value) FROM stdin;
id	01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd
name	cut none
embed	auto
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	ts_rank
bm25_k1	1.2
chunk_size	60
chunk_unit	token
dimensions	384
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	8
chunk_strategy	none
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_cut_none.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_cut_semantic.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1d60-769f-8d37-f661ed506129	01a21b3d-1d54-79f3-8b7c-8fdc6b7bed85	1	24	'river':1,6,11,16,21,26,31,36 'run':2,7,12,17,22,27,32,37 'sea':5,10,15,20,25,30,35,40	pg_catalog.english	0	0	183	\N	48	document	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea.	{"chunkIndex": 0}	\\x085978ff04d70a85c41d4e0a048b1984
01a21b3d-1d63-7a45-acf7-0249834b3528	01a21b3d-1d54-79f3-8b7c-8fdc6b7bed85	2	24	'due':13,18,23,28,33,38 'invoic':11,16,21,26,31,36 'may':15,20,25,30,35,40 'river':1,6 'run':2,7 'sea':5,10	pg_catalog.english	1	184	379	\N	60	document	\N	Rivers run to the sea. Rivers run to the sea. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May.	{"chunkIndex": 1}	\\x4d2b250ec0b0def7f27ed434e1bd6128
01a21b3d-1d67-7ad4-91bf-6cf013f2bcbe	01a21b3d-1d54-79f3-8b7c-8fdc6b7bed85	3	15	'due':3,8,13,18,23 'invoic':1,6,11,16,21 'may':5,10,15,20,25	pg_catalog.english	2	355	479	\N	40	document	\N	Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May.	{"chunkIndex": 2}	\\xabb7a884f5719384ec77510f0c51c0ce
\.
COPY kb_cut_semantic.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1d54-79f3-8b7c-8fdc6b7bed85	\N	document	\N	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. Invoices are due in May. 	\N	\N	\N	\N	{}	\\x6cee47fb976f47a991f9da2a8469e5fe9f5715131504ce040c24bf84aecd4140	\N	\N	indexed	\N	f	2026-11-27 04:21:59.764493+00	2026-11-27 04:21:59.764493+00	2026-11-27 04:21:59.764493+00
\.
COPY kb_cut_semantic.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1d60-769f-8d37-f661ed506129	[0.053969454,0.024471682,0.03445801,-0.008692344,-0.026467897,0.04288556,-0.045082603,-0.053757954,-0.049971,-0.054133717,-0.0017578056,-0.09375172,-0.026239375,-0.012549791,0.007641067,0.015586655,-0.087553985,0.05613734,-0.030095559,0.03907386,0.029160129,0.038144782,-0.010937578,-0.026396625,-0.09915471,0.024921771,0.039591562,-0.074774064,-0.07984991,0.012068341,-0.03740587,-0.006157676,-0.09019613,-0.0039981743,-0.01542027,0.022568867,0.027067367,0.014761216,0.006034795,0.091819204,0.011821011,-0.049189504,0.0031368567,0.109791346,0.0014102476,0.02462343,0.012169655,-0.03527922,-0.04000543,0.028867109,-0.0817874,-0.048422042,-0.095944494,0.05649269,-0.046529405,0.03915954,-0.051348317,0.032309845,0.05684112,0.08275514,-0.033217713,0.0047309953,-0.03717368,0.023722129,0.032106567,-0.0062434995,0.0072512743,0.06576793,-0.06252268,0.02193786,0.0653131,0.08131992,0.014651617,0.0120880855,-0.047023255,-0.052867394,0.021394227,-0.012140359,-0.039067414,-0.0831988,-0.030446924,-0.051580627,-0.055006765,-0.097884335,0.010864214,0.07505501,-0.054967668,-0.10584374,0.030101238,0.032976657,-0.026685914,-0.06399865,0.035872754,-0.017489336,0.06594298,0.045036297,-0.053363863,0.038490325,0.06079424,-0.041444745,0.04358651,-0.007168909,0.02856677,0.043185644,0.012730644,-0.04027104,-0.027688596,0.042142645,0.023573935,-0.057928674,0.0061813234,-0.025007451,0.08572093,0.007432677,-0.0109592825,0.00017178805,-0.13279432,-0.029931452,0.046979636,0.054670975,-0.011273864,0.027243676,0.040759113,0.054405443,0.019433055,0.0049158833,0.06390469,-6.7470024e-34,0.009757752,-0.075161785,0.15157868,0.046462294,-0.07345425,-0.010224906,-0.009941632,0.03443419,-0.026209965,0.01176362,-0.06307812,0.03793376,-0.13413978,0.12232629,-0.023043545,-0.020868294,0.09263055,-0.04151475,0.00037902838,0.025672492,0.07884641,0.034284208,0.02930535,-0.022626122,-0.008015453,-0.113886446,0.013117174,0.0208223,-0.018715061,0.046447698,-0.08659208,-0.04105689,-0.030685307,0.0037507068,-0.021066472,-0.005658832,0.019804271,0.06813055,-0.019750101,-0.017539803,-0.062420357,-0.0670359,-0.060893852,0.04468027,0.05580825,0.010594937,-0.018744988,0.039442014,0.06600048,0.023115544,0.025274705,-0.062262736,-0.007171965,0.026902659,-0.0035746272,-0.017602822,-0.00286701,0.04152237,-0.039675135,0.06970768,-0.008511231,-0.06115399,0.025489854,0.0398969,0.06828953,0.13062076,0.021930372,-0.03079415,0.014573126,-0.04538601,-0.09244682,-0.03579596,-0.0040054605,0.13452171,0.06726475,0.033733808,-0.020119492,-0.08947878,-0.06501406,0.06291772,-0.0069885575,0.070397675,0.022398004,0.07301185,0.07332046,0.052722316,0.014612712,-0.17288627,0.071839616,-0.01628863,-0.015866466,-0.0017130211,0.0703267,-0.02476845,0.07899638,-1.636098e-33,0.0064303507,0.059135187,-0.06410188,0.029245859,-0.04699088,-0.014606371,0.011209509,-0.060881134,0.0736069,0.04036039,-0.112545826,-0.013400618,-0.05466197,-0.015709197,-0.009826109,-0.050499707,0.12444061,0.019050725,-0.024223167,0.036350437,-0.081730545,-0.046830136,0.027607752,-0.034084436,-0.03368453,0.025227958,0.08561703,-0.009841444,0.016034337,0.012020057,0.016384987,-0.029364903,0.07706999,-0.14046367,-0.07710553,0.044426065,-0.005387463,-0.0062818415,0.040309053,-0.001683542,0.015844723,-0.04522382,0.0911984,-0.08891924,-0.02511602,0.04462416,-0.05422345,0.03499634,-0.096571326,-0.00763659,0.022496296,0.0020461944,-0.0056879725,-0.027289057,-0.009194437,-0.10686308,0.0937054,0.03187404,0.001299722,-0.025196765,-0.08188801,0.026581261,-0.0048903455,-0.043984793,-0.039949622,0.013397099,0.026894916,-0.015445739,-0.011861945,-0.05428007,-0.07859504,0.022555055,-0.106428705,-0.013657147,0.022956127,-0.03980012,-0.0894569,0.06810514,-0.01607036,-0.009358905,0.08031652,0.023137208,0.058404412,-0.003200347,-0.03127946,0.004124133,0.06040488,-0.115652494,0.020540716,-0.022980288,0.06551119,-0.018271996,0.023610812,0.009637139,-0.055863544,-2.766486e-08,0.04536162,0.029551953,0.056176733,0.036600273,-0.01610776,0.053590983,0.036416747,0.0967302,0.04770162,-0.029809209,-0.04096755,0.026301768,-0.03797408,-0.03734605,0.061231203,-0.041565914,-0.041755483,-0.0773934,-0.017347565,-0.008199042,-0.049696032,-0.00959915,-0.062209107,0.117049925,-0.0007959357,-0.008272889,-0.057576235,-0.0049666218,0.08564089,-0.01940957,0.06973118,-0.05014172,-0.04511303,0.025484117,0.05500646,-0.010602175,-0.04138052,-0.00876002,-0.00070708635,0.020827318,0.04365227,-0.0035233248,-0.009196306,0.018165456,-2.1699218e-05,0.010524749,0.022764089,-0.018918913,-0.008817932,0.03789359,-0.05402101,-0.0030037877,0.052567907,-0.010648131,0.02523399,0.010334182,-0.06784803,-0.06308012,-0.049771857,0.048403494,0.005415381,0.06970874,0.04462969,0.05935944]
01a21b3d-1d63-7a45-acf7-0249834b3528	[0.012779188,0.040664345,0.10502043,-0.051114116,-0.017035678,-0.036193244,-0.044674788,-0.05071968,-0.040233567,-0.005273797,-0.019236978,-0.08377946,-0.020658989,0.015009853,0.0014177484,0.02774719,-0.023045102,-0.0048634494,-0.0085844295,0.0028185851,0.059232414,0.08430309,-0.09004646,-0.015673863,-0.023291854,0.011902859,-0.033725046,-0.039559513,-0.03039488,0.012115694,-0.04526386,0.01884221,-0.081549294,-0.0309016,-0.010591462,0.020149786,-0.004863825,0.018522663,0.022369968,0.026523916,0.034876637,-0.034653224,0.021237306,0.058961794,-0.004456617,0.0021359648,-0.008263496,-0.014501257,-0.0902904,0.0060888105,-0.10053567,-0.06415185,-0.074882425,0.047455836,-0.10528726,-0.020289432,-0.00090332126,0.009582169,-0.041910518,0.004133379,-0.07842829,-0.0127080055,-0.11603911,-0.02783828,-0.008861352,0.016114006,0.035415392,0.12527184,-0.08349375,-0.058262162,0.07088772,0.055673793,0.040559463,0.064609446,-0.016141348,-0.0575932,0.07587679,0.009816706,-0.07787758,-0.049668837,-0.06729077,-0.010006407,-0.021983549,-0.06817238,0.015300495,0.03305677,-0.0011007291,-0.05179206,0.04111912,0.019049726,0.025240995,-0.10080511,0.06411177,-0.0107082585,0.03458627,0.051407184,-0.050184395,0.020814313,0.102408424,-0.04062704,0.034354057,0.040132087,-0.015407959,0.030710978,0.038655132,0.007542927,0.0030322922,-0.019651689,0.04271606,-0.05961748,0.0112198,-0.06235906,0.10131651,-0.030996982,0.002413964,0.01840854,-0.063233584,-0.067541815,0.07118686,-0.005449121,-0.058264382,0.0350261,0.00017389854,0.049901918,-0.01862574,0.029616132,0.090109155,3.866647e-33,-0.027698955,-0.09564428,0.097816244,0.03980273,0.02643253,0.0053852685,0.024898564,0.038165595,0.020699793,-0.09601298,-0.0721005,-0.002075513,-0.12389354,-0.011094327,-0.07330705,-0.020523012,0.026813354,-0.016779583,-0.050257247,0.07249532,0.00020081487,-0.058736116,0.007355512,-0.03475177,-0.0015464621,-0.05200465,0.0039417115,0.015340314,0.00091451907,0.056357604,0.04265875,-0.039292023,0.026324332,0.030462991,-0.07063922,0.027392691,0.025538161,0.022844983,0.019642344,0.009036381,-0.016332319,-0.00299335,-0.021040361,0.01433298,-0.03941553,-0.011494574,0.057169177,0.017778078,0.1442441,0.035371132,0.016518816,-0.021468746,-0.07549035,-0.0080872765,0.04140568,0.065784976,0.021170618,0.015731538,-0.023381395,-0.0403848,-0.0031633715,0.0016237455,0.04556878,0.035877462,0.040198714,0.07352548,0.10875855,0.0026262533,0.039727334,-0.036739446,-0.12121646,-0.04635645,-0.05794889,0.095379114,0.05549858,0.022378152,-0.01767125,-0.10847684,-0.012053889,0.05353459,-0.022074025,0.042721424,-0.004017716,0.13156052,0.038418166,0.0823037,0.039419644,-0.086389095,0.058475763,-0.024799813,0.010871087,0.0204753,0.025068434,-0.0069664507,0.09548535,-5.6390106e-33,0.0336739,-0.0031848024,-0.024822691,0.03536413,-0.008643527,-0.019131908,0.0522234,-0.025241759,0.088699885,0.08819469,-0.14398712,-0.036580537,-0.11383384,0.012302724,-0.0023957407,-0.09074121,0.10854023,0.03586488,0.0067578102,0.009873621,-0.04226688,-0.04630653,0.048489086,0.0029845429,-0.037989292,0.042953506,0.009036701,-0.08877336,0.010925645,-0.004542076,-0.038826685,-0.0024312006,0.036798097,-0.10641645,-0.081776366,0.0789936,0.03218849,0.033718046,-0.029727008,0.029402051,0.035084907,0.01655614,0.14375696,-0.05082237,-0.05008215,0.014281038,-0.020100545,0.034396943,-0.018177876,-0.0006521977,-0.041042183,0.050027814,-0.011819414,0.058192473,0.006563411,-0.020525366,0.098895565,0.042835884,-0.02096904,-0.07486029,-0.14196606,0.012338181,0.017866222,-0.062456924,0.0075497963,0.022443082,0.023142502,-0.05095643,0.059315845,-0.02979578,-0.10705836,-0.04032366,-0.09353716,-0.09688725,0.02881427,0.017402416,-0.05168701,0.037474953,-0.026984671,-0.022035139,0.057736415,0.04374253,-0.032542206,0.041050214,-0.078433365,-0.040552206,0.03563715,-0.08389341,-0.008219511,-0.014331064,0.0058458,0.0677902,-0.02266579,0.013186807,-0.047781214,-3.391963e-08,0.073407866,-0.020569751,-0.009135469,0.05914018,-0.004751399,-0.0744583,-0.022333546,0.11966013,0.03873603,0.010509568,0.028660525,-0.028175477,-0.008672011,-0.02895667,0.058150105,-0.053137854,-0.055181548,-0.10395784,-0.050022863,-0.015953416,-0.040404458,0.01979194,-0.039278176,0.048925348,-0.011659732,-0.022390371,-0.022785682,0.058104474,0.08864978,0.014024561,0.043776054,0.027223878,-0.016925313,0.0031043356,0.06793653,-0.009912165,-0.015444791,0.015476409,-0.015478218,0.039286643,0.020526526,-0.02153701,0.030211769,0.017666804,0.094374806,0.012478914,-0.005526753,0.00607025,-0.009161571,-0.083400145,-0.1043453,-0.0011515153,0.062639005,0.010632552,0.059603658,0.021154955,-0.0068185595,-0.13043441,0.0035251495,0.05162721,0.011744891,0.044496715,0.047965374,0.051899668]
01a21b3d-1d67-7ad4-91bf-6cf013f2bcbe	[0.00089631364,0.0023410479,0.09994869,-0.061863165,0.006613387,-0.03452369,-0.042736582,-0.014724627,0.011037579,0.05012455,0.031349093,-0.031153219,0.059605896,0.0128375515,0.036927402,0.00051492726,0.058091406,-0.022967553,-0.0097578075,0.009645274,0.069962874,0.0058803996,-0.062936805,0.050003882,0.01157279,-0.010911255,-0.048993703,-0.026735472,0.0077192453,0.021081198,-0.024157975,0.047167215,-0.099978216,-0.028754827,-0.08307403,-0.054994717,-0.008224422,0.009013448,0.05688698,0.0042747334,0.021461885,-0.039857317,0.012383695,-0.02773178,0.007965983,0.012738368,-0.03241975,-0.03680322,-0.10153904,-0.018917775,-0.097862266,-0.0040758476,-0.06102781,0.011967795,-0.06192476,-0.056100927,0.049641594,-0.034000143,-0.07412542,-0.026856322,-0.08352291,-0.01352723,-0.10049391,-0.023979945,-0.050856177,0.03062091,0.089923464,0.07936249,-0.09951473,-0.06443173,0.08000469,0.04360487,0.05986471,0.06892205,0.03700314,-0.0046701836,0.086848065,-0.007168716,-0.07085186,-0.02998224,-0.043562017,0.047376476,-0.00016965481,-0.054483555,-0.05257391,-0.018022709,0.008688012,-0.011274563,0.0030519092,-0.012024035,0.06805817,-0.056381315,0.05567747,0.041163877,0.01862299,-0.013187385,-0.003557667,0.041246872,0.13944913,-0.06803924,0.010080796,0.028331328,-0.054917045,0.015315308,-0.01000017,0.026755193,0.0042316956,-0.056756712,0.0020092432,-0.035235066,0.0381673,-0.080640756,0.11052668,-0.016580855,-0.0010941912,0.06447514,0.00081145036,-0.04143327,0.035409342,0.015040141,-0.09093544,0.02754881,-0.014274758,0.008115669,-0.042914387,0.03742848,0.045732882,5.0867538e-33,-0.05509205,-0.055935174,0.06159925,0.032875318,0.036743205,-0.010698866,0.028788544,0.048357382,0.0406931,-0.14164591,-0.009587575,-0.033768274,-0.05910647,-0.064491585,-0.13946058,0.020299247,0.051510464,0.02607098,-0.04625854,0.08976048,-0.0754479,-0.05879837,0.034129214,0.04337523,0.009721073,0.033200912,-0.0063155214,0.009977734,-0.062330835,0.015332138,0.09148822,0.020708824,0.019945337,0.055476762,-0.06319465,0.013577472,0.028806988,0.010468247,0.015998846,-0.04154857,-0.026278596,-0.008591551,-0.041034795,-0.04674028,-0.059885565,0.0032354512,0.037300285,-0.012593562,0.14194113,0.023546524,-0.005808834,0.036877934,-0.08501666,-0.028010685,0.065542735,0.08312567,0.03709805,-0.012318344,0.0021849282,-0.100448094,-0.00953865,-0.023975542,0.051068634,-0.02231895,-0.029379524,-0.030717866,0.043111887,0.052330915,0.038175024,0.024343332,-0.053518448,-0.034679595,-0.0452417,0.06702336,0.08295849,0.026573364,0.0028982412,-0.073949836,-0.0041090534,0.031009754,-0.0063873725,0.036724694,-0.030914828,0.05082804,-0.020560995,0.1001833,0.0422373,-0.007631497,0.024896564,0.022690564,0.028685078,0.025378127,0.014193449,0.0660865,0.07991904,-6.587336e-33,0.041395597,0.035699487,-0.002745651,0.047536217,0.006087811,-0.0118001625,-0.042999573,-0.028320739,0.05312393,0.038365707,-0.04691129,-0.025913035,-0.15124199,-0.011297968,-0.036286622,-0.09064844,0.055457048,-0.014711308,0.0040615057,0.043797348,-0.065293066,-0.045972627,0.042077616,0.0042935926,-0.024120457,0.042434346,-0.014884658,-0.03107817,0.059675667,0.040122654,-0.050765593,-0.08852948,0.043685038,-0.0633892,0.016993482,0.07035954,0.012977979,-0.02066693,-0.061223894,-0.042994533,0.02553134,0.089876495,0.13454969,0.002455254,0.004787474,-0.072437696,-0.028530592,-0.024596794,0.03494775,-0.019307554,-0.025693757,0.041562404,-0.019336747,0.029883908,-0.027133577,0.027784059,0.05471684,0.057845864,0.014788402,-0.08245983,-0.16972035,0.0018061345,0.007302878,-0.02914461,-0.034043994,-0.007140351,0.013302368,-0.06862737,0.060901497,-0.0058459607,-0.095183305,-0.013643837,-0.05262851,-0.099089816,0.058517758,0.030624991,-0.002498813,-0.04099629,-0.0046827267,-0.09123022,0.068256505,-0.0025287345,-0.06745404,0.12874667,-0.13487001,0.0018220063,0.037630863,-0.019183611,0.005763711,-0.0035462151,-0.016284034,0.11825186,0.047082845,-0.012150703,-0.008770247,-3.1030947e-08,0.083165914,-0.051742256,-0.028632307,0.03926772,0.0061126566,-0.06166738,-0.040224448,0.067965366,0.030647743,0.0670076,0.063355766,-0.051335275,-0.025725393,-0.03486315,0.07544107,-0.019283148,-0.124324895,-0.09192237,-0.0012129197,0.013887492,-0.055933192,-0.015640954,0.038041368,0.04508289,0.029182086,-0.017171964,-0.03285506,0.02304513,0.0134431,0.04484005,-0.057837047,0.007947701,0.039146695,-0.020675274,0.103619695,0.031608906,0.007466966,-0.006303827,-0.0039385827,-0.012307264,0.030566052,-0.11941432,0.023245556,0.01304917,0.060168333,-0.031820133,-0.0045370776,-0.0039597494,-0.032408137,-0.065649286,-0.09861013,-0.00739794,0.032515015,-0.05589509,0.025882281,-0.009902331,0.031358235,-0.084460765,0.09756077,0.016068146,0.036409453,0.059945535,0.04651193,-0.003997502]
\.
COPY kb_cut_semantic.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_cut_semantic.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	3	63	{"pg_catalog.english": 3}	1	3	0	1	\\x0003070302180218020f03647565020502010c010a06696e766f6963020502010c010a036d6179020502010c010a057269766572020502001001040372756e020502001001040373656102050200100104
\.
COPY kb_cut_semantic.setting (name, value) FROM stdin;
id	01a21b3d-1d0f-710a-a2fc-1c47a1d74576
name	cut semantic
embed	auto
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	ts_rank
bm25_k1	1.2
chunk_size	60
chunk_unit	token
dimensions	384
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	8
chunk_strategy	semantic
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_cut_semantic.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_cut_text.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1d29-7d1a-aad7-01737a0adee5	01a21b3d-1d27-7a1c-a4cf-4a30db07c102	1	30	'river':1,6,11,16,21,26,31,36,41,46 'run':2,7,12,17,22,27,32,37,42,47 'sea':5,10,15,20,25,30,35,40,45,50	pg_catalog.english	0	0	229	\N	60	document	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea.	{"chunkIndex": 0}	\\x3bb73fb56085c384a1f174132ad4908f
01a21b3d-1d2e-7639-8b5b-5a12980694ca	01a21b3d-1d27-7a1c-a4cf-4a30db07c102	2	30	'river':1,6,11,16,21,26,31,36,41,46 'run':2,7,12,17,22,27,32,37,42,47 'sea':5,10,15,20,25,30,35,40,45,50	pg_catalog.english	1	207	436	\N	60	document	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea.	{"chunkIndex": 1}	\\x3bb73fb56085c384a1f174132ad4908f
01a21b3d-1d34-7231-8300-d84c40005e00	01a21b3d-1d27-7a1c-a4cf-4a30db07c102	3	30	'river':1,6,11,16,21,26,31,36,41,46 'run':2,7,12,17,22,27,32,37,42,47 'sea':5,10,15,20,25,30,35,40,45,50	pg_catalog.english	2	414	643	\N	60	document	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea.	{"chunkIndex": 2}	\\x3bb73fb56085c384a1f174132ad4908f
01a21b3d-1d39-7d89-843d-a4f1fdd45450	01a21b3d-1d27-7a1c-a4cf-4a30db07c102	4	9	'river':1,6,11 'run':2,7,12 'sea':5,10,15	pg_catalog.english	3	621	689	\N	18	document	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea.	{"chunkIndex": 3}	\\x3c2d4341df08644058199e9d10b91683
\.
COPY kb_cut_text.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1d27-7a1c-a4cf-4a30db07c102	\N	document	\N	\N	Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. Rivers run to the sea. 	\N	\N	\N	\N	{}	\\x2466c6cd3db7f1b96c680ef1f6bab437821cb5ad213aedb3bc3f368294e8879a	\N	\N	indexed	\N	f	2026-11-27 04:21:59.71918+00	2026-11-27 04:21:59.71918+00	2026-11-27 04:21:59.71918+00
\.
COPY kb_cut_text.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1d29-7d1a-aad7-01737a0adee5	[0.051059425,0.02223865,0.036293395,-0.008177695,-0.023206776,0.045567993,-0.048547246,-0.055032283,-0.046490543,-0.052510258,-0.0008424485,-0.089979075,-0.026847824,-0.009958269,0.010489242,0.015135877,-0.086461194,0.054561473,-0.024325099,0.04433682,0.029789722,0.038359657,-0.010372622,-0.02631074,-0.10364638,0.025665527,0.040958583,-0.07874888,-0.08155596,0.019060986,-0.03783828,-0.008249465,-0.08890961,-0.0063705174,-0.016749445,0.018235952,0.027341206,0.014040234,0.0076300343,0.08977172,0.007185799,-0.04650031,0.004571195,0.11087283,-0.0011933733,0.022526234,0.014794456,-0.041511502,-0.042007346,0.027972823,-0.081802696,-0.04833647,-0.0945379,0.053394977,-0.04780829,0.038772855,-0.055279516,0.035160568,0.05719672,0.08415405,-0.03812949,0.008793952,-0.038886584,0.02455443,0.035072662,-0.0069520203,0.011773946,0.06325452,-0.06271786,0.016912147,0.060064524,0.07768621,0.01660738,0.015878858,-0.04674308,-0.050671823,0.022058707,-0.018532693,-0.03841517,-0.084985495,-0.026854413,-0.046631828,-0.055774167,-0.10092692,0.008027759,0.07738774,-0.05591291,-0.10297262,0.03417467,0.03429301,-0.027769513,-0.061752334,0.033577226,-0.019091457,0.06249017,0.043145332,-0.054566666,0.04802926,0.06059382,-0.044123936,0.04318701,-0.0064180978,0.028708104,0.04034101,0.009383954,-0.04197693,-0.020918986,0.040657453,0.020387497,-0.05480921,0.0073024314,-0.020950213,0.087166876,0.010379568,-0.012689021,-0.001703802,-0.13254583,-0.030200355,0.051350873,0.054690193,-0.0073256,0.026130345,0.04064043,0.05933183,0.017944057,0.008307318,0.06269762,-5.404256e-34,0.0062802928,-0.074331366,0.15227541,0.04425377,-0.07729909,-0.00865212,-0.0076135113,0.037627205,-0.02773405,0.015783316,-0.065775625,0.033383466,-0.13571703,0.12566102,-0.023282414,-0.020430716,0.09082401,-0.03912467,-0.0041108527,0.02563441,0.07416582,0.034361675,0.033381753,-0.015069541,-0.0046766642,-0.11500097,0.0107444795,0.01924175,-0.015539136,0.04808477,-0.088696934,-0.040086634,-0.034355458,0.0008796424,-0.020167222,-0.005030986,0.012489308,0.07344319,-0.017488262,-0.016955504,-0.062058046,-0.06967362,-0.058395743,0.04746722,0.054199748,0.0071167457,-0.018010348,0.039215725,0.06644703,0.020529592,0.024780754,-0.06147688,-0.013672607,0.034897357,-0.0053918157,-0.010884796,0.003710606,0.036915544,-0.04206296,0.06967301,-0.010867684,-0.06418836,0.021506572,0.04169242,0.06701828,0.12578179,0.022995679,-0.034997493,0.012866068,-0.04487917,-0.08738516,-0.03212525,-0.005944828,0.13210641,0.06988027,0.035028532,-0.023398641,-0.09231877,-0.06560654,0.06389614,-0.0031513066,0.07030236,0.02913594,0.07146723,0.073524855,0.057409104,0.011568343,-0.16824383,0.07295672,-0.018195564,-0.0139550315,-0.0038608809,0.06933267,-0.022316523,0.08105804,-1.666263e-33,0.0023689375,0.061130203,-0.06336096,0.028700389,-0.05307708,-0.015518896,0.011045531,-0.056665707,0.07444514,0.046493456,-0.10536997,-0.01553615,-0.05964766,-0.013668685,-0.009453117,-0.046933074,0.12724766,0.01564201,-0.026303217,0.032790676,-0.084181145,-0.048677515,0.026592994,-0.03185918,-0.031220574,0.026289333,0.09271014,-0.0052400795,0.017709507,0.009505936,0.015626479,-0.030130817,0.07386554,-0.14461139,-0.07704209,0.04032738,-0.00860695,-0.0032302004,0.039575458,0.00165171,0.015528663,-0.046768814,0.08491655,-0.09105473,-0.023559583,0.044306256,-0.053857222,0.033815157,-0.09076079,-0.008122621,0.024706893,0.00085022335,-0.0050374684,-0.024361549,-0.009934268,-0.10836595,0.09714349,0.03747017,-0.00078369695,-0.027181126,-0.08334386,0.029920157,0.0022241478,-0.044712346,-0.041696936,0.015023177,0.029816814,-0.016446888,-0.00791752,-0.05629023,-0.0786409,0.026271086,-0.107302964,-0.010175542,0.02088118,-0.044670466,-0.08464469,0.06690211,-0.013692264,-0.0108908005,0.08240156,0.022727633,0.05741853,-0.0064682527,-0.028251423,0.0012489177,0.053488962,-0.11701308,0.016425155,-0.024141653,0.06419011,-0.015890025,0.025461316,0.007214529,-0.058576938,-2.8559157e-08,0.04324901,0.026617032,0.052772403,0.03766676,-0.015660208,0.05682047,0.041330185,0.09300705,0.047805402,-0.032404322,-0.03925366,0.019232718,-0.03436499,-0.0380835,0.061054513,-0.041296046,-0.043410182,-0.078746326,-0.017739404,-0.006400812,-0.04898355,-0.005980123,-0.06349514,0.11920631,0.0004715235,-0.0068293945,-0.0595726,-0.0016766157,0.0813632,-0.023815872,0.068050504,-0.05467642,-0.04494968,0.024880055,0.0450936,-0.007710047,-0.039845534,-0.01246296,-0.0023254168,0.027456164,0.042112626,-0.004585,-0.009370368,0.02187917,-0.002366426,0.009928471,0.027354399,-0.016857324,-0.0033493352,0.04087226,-0.052854173,-0.0052431854,0.048818145,-0.013854866,0.021103535,0.009394557,-0.06511994,-0.065042734,-0.05027007,0.047759775,0.007165709,0.06700675,0.0453676,0.057360154]
01a21b3d-1d2e-7639-8b5b-5a12980694ca	[0.051059425,0.02223865,0.036293395,-0.008177695,-0.023206776,0.045567993,-0.048547246,-0.055032283,-0.046490543,-0.052510258,-0.0008424485,-0.089979075,-0.026847824,-0.009958269,0.010489242,0.015135877,-0.086461194,0.054561473,-0.024325099,0.04433682,0.029789722,0.038359657,-0.010372622,-0.02631074,-0.10364638,0.025665527,0.040958583,-0.07874888,-0.08155596,0.019060986,-0.03783828,-0.008249465,-0.08890961,-0.0063705174,-0.016749445,0.018235952,0.027341206,0.014040234,0.0076300343,0.08977172,0.007185799,-0.04650031,0.004571195,0.11087283,-0.0011933733,0.022526234,0.014794456,-0.041511502,-0.042007346,0.027972823,-0.081802696,-0.04833647,-0.0945379,0.053394977,-0.04780829,0.038772855,-0.055279516,0.035160568,0.05719672,0.08415405,-0.03812949,0.008793952,-0.038886584,0.02455443,0.035072662,-0.0069520203,0.011773946,0.06325452,-0.06271786,0.016912147,0.060064524,0.07768621,0.01660738,0.015878858,-0.04674308,-0.050671823,0.022058707,-0.018532693,-0.03841517,-0.084985495,-0.026854413,-0.046631828,-0.055774167,-0.10092692,0.008027759,0.07738774,-0.05591291,-0.10297262,0.03417467,0.03429301,-0.027769513,-0.061752334,0.033577226,-0.019091457,0.06249017,0.043145332,-0.054566666,0.04802926,0.06059382,-0.044123936,0.04318701,-0.0064180978,0.028708104,0.04034101,0.009383954,-0.04197693,-0.020918986,0.040657453,0.020387497,-0.05480921,0.0073024314,-0.020950213,0.087166876,0.010379568,-0.012689021,-0.001703802,-0.13254583,-0.030200355,0.051350873,0.054690193,-0.0073256,0.026130345,0.04064043,0.05933183,0.017944057,0.008307318,0.06269762,-5.404256e-34,0.0062802928,-0.074331366,0.15227541,0.04425377,-0.07729909,-0.00865212,-0.0076135113,0.037627205,-0.02773405,0.015783316,-0.065775625,0.033383466,-0.13571703,0.12566102,-0.023282414,-0.020430716,0.09082401,-0.03912467,-0.0041108527,0.02563441,0.07416582,0.034361675,0.033381753,-0.015069541,-0.0046766642,-0.11500097,0.0107444795,0.01924175,-0.015539136,0.04808477,-0.088696934,-0.040086634,-0.034355458,0.0008796424,-0.020167222,-0.005030986,0.012489308,0.07344319,-0.017488262,-0.016955504,-0.062058046,-0.06967362,-0.058395743,0.04746722,0.054199748,0.0071167457,-0.018010348,0.039215725,0.06644703,0.020529592,0.024780754,-0.06147688,-0.013672607,0.034897357,-0.0053918157,-0.010884796,0.003710606,0.036915544,-0.04206296,0.06967301,-0.010867684,-0.06418836,0.021506572,0.04169242,0.06701828,0.12578179,0.022995679,-0.034997493,0.012866068,-0.04487917,-0.08738516,-0.03212525,-0.005944828,0.13210641,0.06988027,0.035028532,-0.023398641,-0.09231877,-0.06560654,0.06389614,-0.0031513066,0.07030236,0.02913594,0.07146723,0.073524855,0.057409104,0.011568343,-0.16824383,0.07295672,-0.018195564,-0.0139550315,-0.0038608809,0.06933267,-0.022316523,0.08105804,-1.666263e-33,0.0023689375,0.061130203,-0.06336096,0.028700389,-0.05307708,-0.015518896,0.011045531,-0.056665707,0.07444514,0.046493456,-0.10536997,-0.01553615,-0.05964766,-0.013668685,-0.009453117,-0.046933074,0.12724766,0.01564201,-0.026303217,0.032790676,-0.084181145,-0.048677515,0.026592994,-0.03185918,-0.031220574,0.026289333,0.09271014,-0.0052400795,0.017709507,0.009505936,0.015626479,-0.030130817,0.07386554,-0.14461139,-0.07704209,0.04032738,-0.00860695,-0.0032302004,0.039575458,0.00165171,0.015528663,-0.046768814,0.08491655,-0.09105473,-0.023559583,0.044306256,-0.053857222,0.033815157,-0.09076079,-0.008122621,0.024706893,0.00085022335,-0.0050374684,-0.024361549,-0.009934268,-0.10836595,0.09714349,0.03747017,-0.00078369695,-0.027181126,-0.08334386,0.029920157,0.0022241478,-0.044712346,-0.041696936,0.015023177,0.029816814,-0.016446888,-0.00791752,-0.05629023,-0.0786409,0.026271086,-0.107302964,-0.010175542,0.02088118,-0.044670466,-0.08464469,0.06690211,-0.013692264,-0.0108908005,0.08240156,0.022727633,0.05741853,-0.0064682527,-0.028251423,0.0012489177,0.053488962,-0.11701308,0.016425155,-0.024141653,0.06419011,-0.015890025,0.025461316,0.007214529,-0.058576938,-2.8559157e-08,0.04324901,0.026617032,0.052772403,0.03766676,-0.015660208,0.05682047,0.041330185,0.09300705,0.047805402,-0.032404322,-0.03925366,0.019232718,-0.03436499,-0.0380835,0.061054513,-0.041296046,-0.043410182,-0.078746326,-0.017739404,-0.006400812,-0.04898355,-0.005980123,-0.06349514,0.11920631,0.0004715235,-0.0068293945,-0.0595726,-0.0016766157,0.0813632,-0.023815872,0.068050504,-0.05467642,-0.04494968,0.024880055,0.0450936,-0.007710047,-0.039845534,-0.01246296,-0.0023254168,0.027456164,0.042112626,-0.004585,-0.009370368,0.02187917,-0.002366426,0.009928471,0.027354399,-0.016857324,-0.0033493352,0.04087226,-0.052854173,-0.0052431854,0.048818145,-0.013854866,0.021103535,0.009394557,-0.06511994,-0.065042734,-0.05027007,0.047759775,0.007165709,0.06700675,0.0453676,0.057360154]
01a21b3d-1d34-7231-8300-d84c40005e00	[0.051059425,0.02223865,0.036293395,-0.008177695,-0.023206776,0.045567993,-0.048547246,-0.055032283,-0.046490543,-0.052510258,-0.0008424485,-0.089979075,-0.026847824,-0.009958269,0.010489242,0.015135877,-0.086461194,0.054561473,-0.024325099,0.04433682,0.029789722,0.038359657,-0.010372622,-0.02631074,-0.10364638,0.025665527,0.040958583,-0.07874888,-0.08155596,0.019060986,-0.03783828,-0.008249465,-0.08890961,-0.0063705174,-0.016749445,0.018235952,0.027341206,0.014040234,0.0076300343,0.08977172,0.007185799,-0.04650031,0.004571195,0.11087283,-0.0011933733,0.022526234,0.014794456,-0.041511502,-0.042007346,0.027972823,-0.081802696,-0.04833647,-0.0945379,0.053394977,-0.04780829,0.038772855,-0.055279516,0.035160568,0.05719672,0.08415405,-0.03812949,0.008793952,-0.038886584,0.02455443,0.035072662,-0.0069520203,0.011773946,0.06325452,-0.06271786,0.016912147,0.060064524,0.07768621,0.01660738,0.015878858,-0.04674308,-0.050671823,0.022058707,-0.018532693,-0.03841517,-0.084985495,-0.026854413,-0.046631828,-0.055774167,-0.10092692,0.008027759,0.07738774,-0.05591291,-0.10297262,0.03417467,0.03429301,-0.027769513,-0.061752334,0.033577226,-0.019091457,0.06249017,0.043145332,-0.054566666,0.04802926,0.06059382,-0.044123936,0.04318701,-0.0064180978,0.028708104,0.04034101,0.009383954,-0.04197693,-0.020918986,0.040657453,0.020387497,-0.05480921,0.0073024314,-0.020950213,0.087166876,0.010379568,-0.012689021,-0.001703802,-0.13254583,-0.030200355,0.051350873,0.054690193,-0.0073256,0.026130345,0.04064043,0.05933183,0.017944057,0.008307318,0.06269762,-5.404256e-34,0.0062802928,-0.074331366,0.15227541,0.04425377,-0.07729909,-0.00865212,-0.0076135113,0.037627205,-0.02773405,0.015783316,-0.065775625,0.033383466,-0.13571703,0.12566102,-0.023282414,-0.020430716,0.09082401,-0.03912467,-0.0041108527,0.02563441,0.07416582,0.034361675,0.033381753,-0.015069541,-0.0046766642,-0.11500097,0.0107444795,0.01924175,-0.015539136,0.04808477,-0.088696934,-0.040086634,-0.034355458,0.0008796424,-0.020167222,-0.005030986,0.012489308,0.07344319,-0.017488262,-0.016955504,-0.062058046,-0.06967362,-0.058395743,0.04746722,0.054199748,0.0071167457,-0.018010348,0.039215725,0.06644703,0.020529592,0.024780754,-0.06147688,-0.013672607,0.034897357,-0.0053918157,-0.010884796,0.003710606,0.036915544,-0.04206296,0.06967301,-0.010867684,-0.06418836,0.021506572,0.04169242,0.06701828,0.12578179,0.022995679,-0.034997493,0.012866068,-0.04487917,-0.08738516,-0.03212525,-0.005944828,0.13210641,0.06988027,0.035028532,-0.023398641,-0.09231877,-0.06560654,0.06389614,-0.0031513066,0.07030236,0.02913594,0.07146723,0.073524855,0.057409104,0.011568343,-0.16824383,0.07295672,-0.018195564,-0.0139550315,-0.0038608809,0.06933267,-0.022316523,0.08105804,-1.666263e-33,0.0023689375,0.061130203,-0.06336096,0.028700389,-0.05307708,-0.015518896,0.011045531,-0.056665707,0.07444514,0.046493456,-0.10536997,-0.01553615,-0.05964766,-0.013668685,-0.009453117,-0.046933074,0.12724766,0.01564201,-0.026303217,0.032790676,-0.084181145,-0.048677515,0.026592994,-0.03185918,-0.031220574,0.026289333,0.09271014,-0.0052400795,0.017709507,0.009505936,0.015626479,-0.030130817,0.07386554,-0.14461139,-0.07704209,0.04032738,-0.00860695,-0.0032302004,0.039575458,0.00165171,0.015528663,-0.046768814,0.08491655,-0.09105473,-0.023559583,0.044306256,-0.053857222,0.033815157,-0.09076079,-0.008122621,0.024706893,0.00085022335,-0.0050374684,-0.024361549,-0.009934268,-0.10836595,0.09714349,0.03747017,-0.00078369695,-0.027181126,-0.08334386,0.029920157,0.0022241478,-0.044712346,-0.041696936,0.015023177,0.029816814,-0.016446888,-0.00791752,-0.05629023,-0.0786409,0.026271086,-0.107302964,-0.010175542,0.02088118,-0.044670466,-0.08464469,0.06690211,-0.013692264,-0.0108908005,0.08240156,0.022727633,0.05741853,-0.0064682527,-0.028251423,0.0012489177,0.053488962,-0.11701308,0.016425155,-0.024141653,0.06419011,-0.015890025,0.025461316,0.007214529,-0.058576938,-2.8559157e-08,0.04324901,0.026617032,0.052772403,0.03766676,-0.015660208,0.05682047,0.041330185,0.09300705,0.047805402,-0.032404322,-0.03925366,0.019232718,-0.03436499,-0.0380835,0.061054513,-0.041296046,-0.043410182,-0.078746326,-0.017739404,-0.006400812,-0.04898355,-0.005980123,-0.06349514,0.11920631,0.0004715235,-0.0068293945,-0.0595726,-0.0016766157,0.0813632,-0.023815872,0.068050504,-0.05467642,-0.04494968,0.024880055,0.0450936,-0.007710047,-0.039845534,-0.01246296,-0.0023254168,0.027456164,0.042112626,-0.004585,-0.009370368,0.02187917,-0.002366426,0.009928471,0.027354399,-0.016857324,-0.0033493352,0.04087226,-0.052854173,-0.0052431854,0.048818145,-0.013854866,0.021103535,0.009394557,-0.06511994,-0.065042734,-0.05027007,0.047759775,0.007165709,0.06700675,0.0453676,0.057360154]
01a21b3d-1d39-7d89-843d-a4f1fdd45450	[0.076743044,0.04289635,0.036362868,0.011266906,-0.037072416,0.025235474,-0.027623959,-0.07070317,-0.03117194,-0.055510413,0.007393657,-0.091761835,-0.043804266,-0.016460055,-0.008032418,0.02196283,-0.101025455,0.04379884,-0.033735238,0.02782589,0.031908944,0.062225208,-0.007962131,-0.017585764,-0.08292018,0.043197855,0.017219458,-0.042860053,-0.061323494,-0.0033250386,-0.026199227,0.009732781,-0.092346065,0.0009756822,-0.003444746,0.05089906,0.021329826,0.015424532,0.011592856,0.09397896,0.039348133,-0.05687952,0.007485948,0.10056033,-0.017194327,0.017426258,0.006682953,-0.014041543,-0.013577549,0.03425601,-0.0844365,-0.060660638,-0.10514345,0.059257384,-0.041767705,0.047749713,-0.04679076,0.015947001,0.04607404,0.07857027,-0.020321704,-0.0072046695,-0.053992774,0.04308574,0.0212918,-0.0007230356,-0.0057754763,0.09191462,-0.07693278,0.0014499448,0.07616312,0.08988422,-0.00038711575,-0.002290464,-0.05268675,-0.06244319,0.036879357,0.011112121,-0.020808198,-0.062126312,-0.04365488,-0.05561234,-0.041181955,-0.070052646,0.019029321,0.06973553,-0.033487383,-0.115952544,0.014576607,0.031796895,-0.034678992,-0.09146257,0.04018942,-0.012580633,0.058364436,0.033065706,-0.041126106,0.03167008,0.038639136,-0.007306954,0.045380894,-0.018646007,0.026907282,0.06507839,0.043592233,-0.023799136,-0.042708278,0.04780984,0.03501138,-0.06459447,-0.0028484506,-0.034269866,0.074885726,0.015611903,-0.0065351794,-0.012010661,-0.13581549,-0.02552578,0.028490253,0.048363134,-0.021982567,0.03697986,0.03878431,0.04427174,0.032692615,-0.013127807,0.080638856,-2.3842482e-33,0.011259527,-0.07534431,0.15343848,0.04631268,-0.056092758,-0.009914942,-0.02971004,0.020938396,-0.029790288,-0.0056074853,-0.067017145,0.023013426,-0.13493173,0.10792251,-0.019070074,-0.036583718,0.061316323,-0.028477151,0.011844526,0.024558976,0.07048164,0.03609961,0.015689535,-0.0547987,-0.023743663,-0.1234592,0.010893867,0.020427851,-0.01335932,0.046198662,-0.06655138,-0.0369499,-0.016833259,0.0011031388,-0.037585113,0.0023200177,0.03033713,0.03377005,-0.020929221,0.010785881,-0.062001932,-0.04243235,-0.073441975,0.03426536,0.05463563,0.019617433,0.0032993844,0.039031543,0.057386283,0.027646294,0.017984338,-0.06614962,0.0056736544,0.0073895785,0.0011978471,-0.046357032,-0.019488288,0.059062015,-0.042477787,0.06806508,0.011743412,-0.030937131,0.017158704,0.043674786,0.06995743,0.1337086,0.039669454,-0.011873498,0.01634887,-0.03521733,-0.10250484,-0.045574326,-0.00072602835,0.13236922,0.05438866,0.011493169,-0.0146188075,-0.078786746,-0.028292455,0.05827968,-0.024032276,0.051213942,0.013045688,0.08170575,0.07585256,0.03651787,0.024021167,-0.20035374,0.075432174,-0.01541061,-0.0173935,-0.0010296603,0.06400275,-0.024816932,0.056582242,-2.7101706e-34,0.009470557,0.034768067,-0.07761696,0.041268375,-0.03580283,-0.01704498,0.018667616,-0.042305853,0.06485508,0.043546338,-0.14936964,-0.015084834,-0.049003426,0.0035787416,0.010858326,-0.07000052,0.14037761,0.018945415,-0.018933646,0.035785083,-0.056450848,-0.026174765,0.016877027,-0.04787278,-0.027604612,0.0216823,0.053455036,-0.03231779,-0.009275332,0.0030460304,0.0049507855,-0.03604361,0.04266508,-0.13173053,-0.093092114,0.06501464,0.0061084856,-0.027427148,0.03909719,-0.024657585,0.021221235,-0.045544222,0.11071309,-0.062316157,-0.03003871,0.059330728,-0.033803448,0.060006943,-0.11761035,-0.0083565945,0.0024273968,0.015175088,-0.0075317095,-0.014896128,-0.02656769,-0.102066115,0.09027333,0.012480846,-0.011323113,-0.017226031,-0.07659209,0.016368441,-0.022820322,-0.032207295,-0.022553364,0.022619022,0.0148805315,-0.0007248363,-0.009407013,-0.038188934,-0.077982165,0.016923415,-0.119370386,-0.028259523,0.014096348,-0.018752959,-0.097584695,0.06321448,-0.012916222,-0.011977149,0.060222656,0.030116191,0.06331733,-0.0018471043,-0.036602948,-0.010713915,0.059682306,-0.11711826,0.027363647,-0.004628086,0.061817084,-0.03255592,0.0028213668,0.00743786,-0.06568541,-2.1512092e-08,0.045876272,0.036963366,0.049689874,0.029549826,0.0013432166,0.03565192,0.034024533,0.09744567,0.048729572,-0.02570479,-0.03385539,0.043819174,-0.03812846,-0.015236415,0.06641553,-0.03319684,-0.031041043,-0.06882205,-0.029964993,-0.0052842535,-0.061844286,-0.0027292348,-0.0403794,0.10428774,-0.0040901154,-0.017537547,-0.04472434,-0.0031041217,0.10561028,-0.004828906,0.06844187,-0.02744404,-0.051717356,0.027860379,0.065507986,-0.02008085,-0.04088743,0.0066986154,0.014889427,-0.0053362604,0.023328513,0.02108952,0.004455244,0.0072950083,0.008621681,0.008449795,0.031624943,-0.021920808,-0.027634084,0.011891708,-0.023153307,0.016267657,0.06464248,0.024441645,0.04813864,-0.010718,-0.086878724,-0.071585655,-0.061450273,0.06249173,0.0061828354,0.06428661,0.07445538,0.058079977]
\.
COPY kb_cut_text.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_cut_text.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	4	99	{"pg_catalog.english": 4}	1	4	0	1	\\x00040904021e021e021e020905726976657204090400140114011401060372756e0409040014011401140106037365610409040014011401140106
\.
COPY kb_cut_text.setting (name, value) FROM stdin;
id	01a21b3d-1cf2-7a93-b8c9-9a5d679eddce
name	cut text
embed	auto
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	ts_rank
bm25_k1	1.2
chunk_size	60
chunk_unit	token
dimensions	384
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	8
chunk_strategy	text
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_cut_text.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_draft.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
\.
COPY kb_draft.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
\.
COPY kb_draft.embedding (chunk_id, embedding) FROM stdin;
\.
COPY kb_draft.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_draft.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
\.
COPY kb_draft.setting (name, value) FROM stdin;
id	01a21b3d-1da9-7b0e-aa9b-b358b856f9d6
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
name	final
\.
COPY kb_draft.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_drinks.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1c6b-790e-b7c9-eefe4f63485a	01a21b3d-1c6a-7f12-b5ff-2f7e5975d52d	1	4	'four':3 'minut':4 'need':2 'tea':1	pg_catalog.english	0	0	23	\N	\N	import	\N	Tea needs four minutes.	{"filePath": "tea", "chunkIndex": 0}	\\xe6d24d178135d84dd2851b4d338e31ad
01a21b3d-1c6b-791a-aff1-c6844b284c8d	01a21b3d-1c6a-7f12-b5ff-2f7e5975d52d	2	3	'come':2 'later':3 'milk':1	pg_catalog.english	1	25	42	\N	\N	import	\N	Milk comes later.	{"filePath": "tea", "chunkIndex": 1}	\\xac307361843b1d35b6a4a2ac6fc930e9
\.
COPY kb_drinks.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1c6a-7f12-b5ff-2f7e5975d52d	\N	import	tea	\N	Tea needs four minutes.\n\nMilk comes later.	\N	\N	\N	\N	{}	\\xb981e7cf60256470c3de1addef2faceb2ba33e0b9b0bade1218f47e7ce971a30	\N	\N	indexed	\N	t	2026-11-27 04:21:59.530182+00	2026-11-27 04:21:59.530182+00	2026-11-27 04:21:59.530182+00
\.
COPY kb_drinks.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1c6b-790e-b7c9-eefe4f63485a	[1,0,0]
01a21b3d-1c6b-791a-aff1-c6844b284c8d	[0,1,0]
\.
COPY kb_drinks.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_drinks.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	2	7	{"pg_catalog.english": 2}	1	2	0	1	\\x000205020204020304636f6d65010301010204666f75720103010002056c617465720103010102046d696c6b0103010102056d696e75740103010002046e6565640103010002037465610103010002
\.
COPY kb_drinks.setting (name, value) FROM stdin;
id	01a21b3d-1c61-769b-a37b-c60b310729dc
name	drinks
embed	auto
model	fake/example
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	3
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_drinks.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_files.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1da5-7887-98f6-622a971070c7	01a21b3d-1da4-7343-a454-39e2b7c459cd	1	5	'river':1A,2B,3 'run':5 'sea':8	pg_catalog.english	0	0	30	\N	\N	document	Rivers	# Rivers\n\nThey run to the sea.	{"title": "Rivers", "heading": "Rivers", "filePath": "rivers.md", "filename": "rivers.md", "chunkIndex": 0}	\\x7145d09e70de318abc4b246316f7dcd4
\.
COPY kb_files.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1da4-7343-a454-39e2b7c459cd	\N	document	rivers.md	Rivers	# Rivers\n\nThey run to the sea.\n	text/markdown	\N	\N	\N	{"filename": "rivers.md"}	\\x147c602b5fda9e79d52168f69d8ff6f25c570f70c7ef5ea75418bb7a15d70dd6	\\x147c602b5fda9e79d52168f69d8ff6f25c570f70c7ef5ea75418bb7a15d70dd6	31	indexed	\N	f	2026-11-27 04:21:59.834133+00	2026-11-27 04:21:59.834133+00	2026-11-27 04:21:59.834133+00
\.
COPY kb_files.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1da5-7887-98f6-622a971070c7	[-0.14433756,-0.14433756,-0.14433756,-0.28867513,0,0.72168785,0.57735026,0]
\.
COPY kb_files.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_files.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	5	{"pg_catalog.english": 1}	1	1	0	1	\\x000103010205057269766572010601001b0101010372756e0103010002037365610103010002
\.
COPY kb_files.setting (name, value) FROM stdin;
id	01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6
name	files
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_files.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_handbook.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1c3a-7b2b-9475-d9020f59e81b	01a21b3d-1c39-7902-8cde-5a4d81ec3f6f	1	11	'back':13 'card':16 'day':9 'goe':12 'item':6 'money':11 'paid':18 'refund':1A 'return':4 'thirti':8 'within':7	pg_catalog.english	0	0	90	\N	20	document	\N	You can return any item within thirty days. The money goes back to the card you paid with.	{"team": "sales", "title": "Refunds", "chunkIndex": 0}	\\xaebd7cf77c1fc1aa0453fff600bec6ad
01a21b3d-1c49-72c4-b4b2-db1ff659f12d	01a21b3d-1c39-7dca-b659-a8fd3cc5c7a2	2	9	'arriv':5 'day':11 'deliveri':1A 'europ':4 'five':9 'parcel':2 'three':7 'within':3 'work':10	pg_catalog.english	0	0	59	\N	11	document	\N	Parcels within Europe arrive in three to five working days.	{"title": "Delivery", "chunkIndex": 0}	\\x07d1b040f0eb03d0ac385d2a51cbac97
\.
COPY kb_handbook.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1c39-7902-8cde-5a4d81ec3f6f	\N	document	\N	Refunds	You can return any item within thirty days. The money goes back to the card you paid with.	\N	\N	\N	\N	{"team": "sales"}	\\x9a3be30db02dd3a92dec29f9c5833dec1d134330f01ef7ab20c24dde9d3a5375	\N	\N	indexed	\N	f	2026-11-27 04:21:59.481382+00	2026-11-27 04:21:59.481382+00	2026-11-27 04:21:59.481382+00
01a21b3d-1c39-7dca-b659-a8fd3cc5c7a2	\N	document	\N	Delivery	Parcels within Europe arrive in three to five working days.	\N	\N	\N	\N	{}	\\x8b4d9f9969dd3c03bf29cabd56828db847cb332db04942c4241905c7e7071e6f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.481382+00	2026-11-27 04:21:59.481382+00	2026-11-27 04:21:59.481382+00
\.
COPY kb_handbook.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1c3a-7b2b-9475-d9020f59e81b	[-0.0267022,0.04627837,0.018032905,0.016951641,0.013099077,-0.0172143,-0.00033351697,-0.057471246,-0.017209709,0.0010370775,0.07658568,0.0021137262,-0.030075418,-0.08393303,-0.036530796,-0.07247459,0.033090927,0.058824904,-0.023294164,0.008667343,0.019234402,-0.034286324,-0.06665357,0.00069561973,0.0480464,0.11034853,-0.059935626,-0.011928221,-0.03551322,-0.03607855,0.054149162,0.026992984,-0.03992921,-0.042378224,-0.035709597,-0.008185313,-0.054944262,-0.0011536648,-0.017759506,0.03866142,-0.06437332,0.04965736,-0.04771474,0.011697345,0.040120173,-0.044997633,-0.014140829,0.0443621,0.04246269,0.08733037,0.07070128,0.00033939755,-0.12508728,0.051647745,-0.06937513,0.06285791,0.034215968,0.009154225,-0.009796746,-0.029265195,0.08359368,-0.11768749,-0.047781624,0.014648131,-0.03711545,-0.058825325,-0.042558443,-0.051162276,0.0015911086,-0.06927463,0.121680275,-0.03474653,0.039773513,0.0015029312,0.05913556,0.116804466,0.023876505,-0.0016193958,-0.022016577,0.07477518,-0.05481404,0.03879517,0.047353666,-0.045185775,0.08898827,-0.0022063684,-0.00061470346,0.10662152,0.06254483,-0.030629527,0.0066819903,-6.897615e-05,-0.008279735,-0.036578894,-0.062420003,-0.075148225,0.041731592,-0.0052168365,0.019491635,-0.008748085,0.048282735,0.05073289,-0.023936544,0.010986865,0.06863951,-0.089224145,0.03544676,0.04741803,-0.042123437,-0.010719627,-0.040098492,-0.026395496,0.058522284,-0.0077768266,-0.013254535,0.092074,-0.09281159,-0.02511654,0.0063529867,-0.072220005,0.011403137,0.10601986,0.052911747,-0.04324352,-0.08108435,-0.026836041,0.066736646,-1.7363137e-33,-0.084956676,0.06356252,-0.024885813,-0.0897812,0.044568833,-0.032611217,0.09146217,-0.028935824,0.0104188435,0.026762038,0.012921915,0.058708727,0.064442396,0.026064271,-0.07869807,0.046041142,-0.012298912,0.023515247,0.042983044,-0.020205807,0.010798771,-0.07623965,-0.00091406645,-0.03763215,0.030303648,-0.040922914,-0.05268131,0.013486146,0.066439055,-0.015599343,0.064451195,0.053222824,0.05848286,-0.032982852,-0.002128157,0.052964423,0.09287749,-0.023671461,-0.020583842,0.032016087,0.009002849,-0.005701011,-0.06553829,-0.042741347,-0.031907815,-0.103576005,0.078249246,-0.013032941,-0.026889704,0.005488205,0.007693773,0.056981705,-0.009835075,-0.02538151,-0.080816984,-0.042838834,0.011327466,0.051614113,-0.029170074,-0.05885406,0.0693051,-0.08122871,0.028528532,0.029362762,-0.06898996,0.020074364,0.056465097,-0.012343645,-0.10662945,0.07840829,0.02501175,0.060750585,0.030481191,-0.0038628113,0.02454972,0.010478328,-0.03233656,-0.060653277,-0.007917232,-0.052960493,-0.051757853,-0.066948555,-0.06848567,0.022448912,-0.004404368,0.06560811,0.063061565,-0.06706032,0.06012884,-0.058788948,-0.016973509,-0.06728975,0.07822777,-0.017515471,0.11470207,1.0810089e-33,0.035613418,-0.043917432,-0.055218708,-0.0020398444,-0.048151877,-0.04570402,0.011251257,0.19467019,-0.03435154,0.004542573,-0.01646867,0.022139361,0.0519239,0.036487345,0.0186066,0.032364126,0.0028874925,-0.04041962,0.021661531,-0.005309968,0.053156428,-0.029866206,0.081624,-0.0023894757,-0.08108828,0.07738105,0.026445152,-0.099105686,0.015557647,-0.046426542,0.07880089,-0.08236245,-0.03573278,0.053053435,0.07203621,-0.038348675,-0.068903126,-0.0262662,0.073364265,0.0051996713,0.045478314,0.024697412,0.024210155,0.023839844,0.0049429387,-0.041292366,0.0140024135,-0.08487537,0.06402859,-0.043911856,-0.029667554,-0.06415036,0.05536686,0.03058852,-0.066371284,0.06770572,0.087542154,-0.045834072,0.022049585,-0.015179604,-0.048463337,-0.07717864,0.018988075,0.012109905,0.026281158,0.003978558,0.07047924,-0.04825429,0.07158885,0.030709207,-0.029910145,0.124432236,-0.027259309,0.021835126,0.040261816,0.028189909,0.017766925,0.04190494,0.02089855,-0.041959178,0.09950414,-0.031597607,-0.007272286,-0.0056448956,0.071589716,-0.073249735,-0.041887727,-0.07778558,0.009187567,-0.008201035,0.015325474,-0.02623336,0.077462316,0.08101075,-0.023565456,-2.0076047e-08,-0.024676407,0.004351895,0.051301144,0.11143426,-0.020513497,-0.0073939767,0.02744288,0.009431036,-0.028798867,-0.07137656,0.0369415,-0.020518837,-0.026602946,-0.028517542,0.034268633,-0.06615489,0.049820878,-0.10974327,0.04621748,-0.028091552,-0.018207526,-0.00065002305,0.08299282,-0.011370933,-0.06468269,0.054595817,0.114949815,0.08211777,-0.017285611,-0.019950647,-0.008413268,-0.031229425,0.051855247,0.09093344,-0.00041687774,-0.103196494,0.045860063,-0.01836327,-0.0006735884,0.039945196,0.05838506,-0.0472233,-0.063467085,-0.050432213,-0.010312513,-0.04085522,-0.075149626,-0.054943483,0.0232404,0.0066133016,-0.011693359,-0.014783707,-0.011771053,-0.0016471922,-0.036688037,-0.0485609,0.011478672,0.01949237,-0.027068347,-0.041104846,-0.02127143,-0.065450884,-0.0009776277,-0.03151627]
01a21b3d-1c49-72c4-b4b2-db1ff659f12d	[0.035531774,-0.051603112,0.04561096,-0.022737723,-0.0049989303,-0.06864752,-0.061016466,-0.06848065,-0.03647563,-0.014719377,0.022786023,-0.03733807,-0.061629772,0.066594586,-0.02170152,-0.060701095,0.03526352,-0.10002662,-0.1008253,-0.030307934,0.027255325,0.002813902,-0.04284012,0.016243434,0.044426646,0.015854264,-0.041821588,-0.08462616,-0.001339224,-0.012311817,-0.028429596,0.0033620675,-0.06642128,0.050480172,0.024745215,0.039418023,-0.01553103,-0.062566355,0.045624565,-0.008315553,0.038138945,-0.033161093,-0.010917638,0.10175852,-0.003598039,-0.006818128,0.03556379,0.04572357,0.013888018,-0.014379761,0.01655729,0.0062829135,-0.0044107116,-0.028514106,-0.10117436,0.025758717,0.05525793,0.023300027,-0.013939363,0.027863314,-0.018824348,0.015661338,0.0077013494,-0.060004976,-0.03808221,0.02793725,-0.065800995,-0.07619072,-0.12024267,0.015688548,-0.029134937,-0.047521524,-0.09244003,0.081782274,0.09903447,-0.026752006,0.05377768,-0.04836947,-0.045465615,-0.07143759,0.04400774,0.08174118,0.003540414,0.06010157,-0.013709735,-0.03299981,0.034272023,0.08329029,-0.0040915436,-0.066117965,0.0058968235,-0.0913389,-0.029464839,0.06519725,-0.07305789,-0.028089026,0.030916244,0.069872335,-0.023402706,0.033632927,0.04766057,0.06212137,0.0023653929,-0.023845281,-0.06678374,0.0049943384,-0.05073882,-0.009792134,-0.13427071,0.04494499,-0.07558938,-0.019951997,-0.0339762,-0.06482401,-0.066779055,0.04859803,-0.030743489,-0.030130468,0.0689586,-0.08004188,0.058199517,0.030708443,0.03001633,0.0072118817,-0.03135651,0.03957046,0.1278511,1.1906436e-34,-0.13914147,-0.06286587,0.0057077706,0.103362,-0.004756418,-0.065119915,-0.009565041,-0.029602632,0.076822005,-0.003380113,-0.1415272,-0.016232677,0.049280394,0.059528913,-0.063388474,0.013851165,0.11858876,0.060408995,-0.018945597,0.06492684,0.025733348,-0.1420445,0.004516861,0.027267467,0.03702657,0.0044211247,-0.051077314,0.062036205,0.07191014,0.0044829827,0.06342888,0.022467386,0.036240995,0.04070293,-0.048061028,0.073648825,0.022489496,-0.031176537,0.046362534,0.0036281382,0.019490208,-0.02638643,0.0004897239,0.064430706,0.008049305,0.043819044,-0.050460506,-0.08008135,0.03543674,-0.021476395,0.005393309,0.037634265,0.10038923,0.022629121,0.05676376,0.05905852,0.026531514,-0.007815744,0.028477775,-0.0029749037,0.021528827,0.03302988,-0.017519813,0.039453324,0.08719413,-0.017817164,-0.014926966,0.056297943,-0.000668012,-0.03724903,0.090879515,0.091032,0.06792124,-0.04945204,0.054638907,0.026593477,0.008330364,-0.011875294,-0.032096606,-0.020410247,-0.028890582,0.006224072,-0.010891495,-0.023955068,0.032876413,0.049489718,0.06353798,0.038786147,-0.012283396,0.0005732771,-0.037287954,-0.010463701,0.015055168,-0.025323076,0.058366805,-7.2886426e-34,0.04883036,0.02315001,-0.051571928,0.064957894,0.0299643,0.031253576,-0.025982292,0.07003349,-0.0259487,0.078370415,-0.09298153,-0.0442547,0.0033716583,-0.06461234,0.038525235,0.03290016,0.13100918,-0.025240568,0.056675702,0.07981768,0.08729738,-0.070376016,-0.04618651,0.010004539,0.029155891,0.009297008,0.006023993,-0.051132634,-0.07058683,-0.04896997,-0.11408943,0.034395263,0.028746258,0.03272043,-0.008371218,0.0071275583,-0.06547198,0.11999428,0.11365482,0.0111498255,-0.1459302,0.01007296,-0.015043945,0.010413991,-0.026352115,-0.011591968,-0.018057715,-0.0012252276,0.03326544,0.040790375,0.03358398,0.047347836,-0.027580721,-0.011187098,0.01664071,0.05703222,-0.038700063,-0.12593241,-0.007603671,0.07581996,-0.06287653,-0.011762795,0.053427875,-0.04065987,0.013036978,-0.056217413,-0.027918555,0.027824106,0.043266367,0.022684112,-0.025720239,0.014814405,-0.027672006,-0.019443026,-0.019324817,-0.058614824,0.063624986,0.092676066,0.005284796,0.022593556,0.0021576232,-0.060033355,0.025380405,0.024253914,0.012598783,-0.09499471,0.06457852,-0.060415957,0.10085609,-0.00045242984,-0.010466944,0.055124998,0.024859047,-0.014856731,-0.0018384903,-1.8402114e-08,0.052314755,-0.010326425,-0.057907227,0.03295691,-0.011795072,-0.0035760626,0.019844048,0.05929834,-0.03608161,-0.043593694,-0.017874751,-0.051379267,-0.03487547,0.042987518,-0.011114876,0.017703217,-0.017953072,-0.020759875,-0.017147848,-0.07783309,0.028578244,0.028783096,0.08324379,-0.08186373,0.009067122,0.0098335575,0.021198042,-0.056224357,0.026972698,-0.03416669,-0.013851297,0.04284773,-0.037880782,0.008564093,-0.008515645,-0.03113295,-0.029019188,0.031477142,-0.0904917,0.024152936,0.0019341239,-0.03387102,-0.008496869,-0.05992308,0.030868148,-0.04996761,-0.13020033,-0.0039913617,0.00726804,-0.00024349392,0.0022021777,0.04271606,0.016059568,0.07541032,0.05806825,-0.017751671,0.008452901,-0.09302324,0.120322466,0.045724653,-0.12283136,0.0040889513,0.0062089358,0.019645521]
\.
COPY kb_handbook.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_handbook.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	2	20	{"pg_catalog.english": 2}	1	2	0	1	\\x00020502020b02090561727269760103010102046261636b01030100020463617264010301000203646179020502000201020864656c6976657269010401011101056575726f7001030101020466697665010301010203676f650103010002046974656d0103010002056d6f6e65790103010002047061696401030100020670617263656c010301010206726566756e640104010011010672657475726e010301000206746869727469010301000205746872656501030101020677697468696e0205020002010204776f726b0103010102
\.
COPY kb_handbook.setting (name, value) FROM stdin;
id	01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c
name	handbook
embed	auto
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	384
description	how we work
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_handbook.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_index_hnsw.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1cea-7960-9c03-947101f54401	01a21b3d-1ce9-7ab4-95d6-a0c83456d3cb	1	3	'1':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 1	{"chunkIndex": 0}	\\xcc7cbd3cde4a621909558e1f46f505d7
01a21b3d-1cea-7970-8136-b007ff336433	01a21b3d-1ce9-7e51-9bad-d5ad559ed825	2	3	'2':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 2	{"chunkIndex": 0}	\\x9d1d9adb93af298b8991c7d73f154894
01a21b3d-1cea-7978-a681-77ffb4d9994f	01a21b3d-1ce9-7e97-9360-ce98aff058ef	3	3	'3':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 3	{"chunkIndex": 0}	\\x50d40780e40cb84014b3bb09f2f8c8a2
01a21b3d-1cea-797c-95e6-be1dba53639e	01a21b3d-1ce9-7ea7-8b82-43c237deb924	4	3	'4':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 4	{"chunkIndex": 0}	\\xc601c6a8bc1a85a9d5ad40566c9b31f2
01a21b3d-1cea-7981-a4dd-29a1ac07a4d6	01a21b3d-1ce9-7ef1-890e-5bd9b17d3eef	5	3	'5':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 5	{"chunkIndex": 0}	\\x9716db5856ec387f4d2225854419922d
01a21b3d-1cea-7985-b355-a854ca442f13	01a21b3d-1ce9-7efd-afd6-902bdbb1a3b0	6	3	'6':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 6	{"chunkIndex": 0}	\\x56e721fcd34186f5f46dc751514e4d30
01a21b3d-1cea-7989-b198-99860074a760	01a21b3d-1ce9-7f0a-bf20-ba4cb9203ade	7	3	'7':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 7	{"chunkIndex": 0}	\\x5faeb69193fef3763c4ea113b79eca75
01a21b3d-1cea-798d-b390-25ef5cdf9dfe	01a21b3d-1ce9-7f16-8762-2286d2adea12	8	3	'8':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 8	{"chunkIndex": 0}	\\xede454a91257913ac81127e284350392
01a21b3d-1cea-7991-ac23-cc5006b335bd	01a21b3d-1ce9-7f26-8111-4fc40121bc76	9	3	'9':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 9	{"chunkIndex": 0}	\\x6cc961818fd9c9098960a659c4b400ef
01a21b3d-1cea-7999-8ea0-ae02f6be89d5	01a21b3d-1ce9-7f33-a3af-3d1913adea80	10	3	'10':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 10	{"chunkIndex": 0}	\\x7b0fd21e222f5f4f4e8f28b528ac86c3
01a21b3d-1cea-799d-942a-ed31ace4c9fa	01a21b3d-1ce9-7f3f-815a-3942738e1094	11	3	'11':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 11	{"chunkIndex": 0}	\\xc0a324a56f133de7ca15cb33cbc2ae19
01a21b3d-1cea-799d-adbd-90d652fd9955	01a21b3d-1ce9-7f4b-8f40-e7c491095512	12	3	'12':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 12	{"chunkIndex": 0}	\\x00af27a096c339feb77b91e4b57a2e86
01a21b3d-1cea-79a1-bb43-8f7c3f50c44d	01a21b3d-1ce9-7f58-8399-39400817c7e8	13	3	'13':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 13	{"chunkIndex": 0}	\\x913ec9eaca9e68505c5f734407c90bc2
01a21b3d-1cea-79a5-86a7-775473b7d865	01a21b3d-1ce9-7f64-abd9-2090745bd557	14	3	'14':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 14	{"chunkIndex": 0}	\\xd5a12eed34da20f1ffd5efe4ef96d5b2
01a21b3d-1cea-79a9-ab85-d9d399cd4c3f	01a21b3d-1ce9-7f70-83d9-8beab89b293d	15	3	'15':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 15	{"chunkIndex": 0}	\\x7a1e830639ac2ce8d44501d21f09638f
01a21b3d-1cea-79a9-a7c0-e10978157274	01a21b3d-1ce9-7f7c-8624-6fe115e32ded	16	3	'16':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 16	{"chunkIndex": 0}	\\x3e400452bf0aae66c538a2e026e10899
01a21b3d-1cea-79ae-923a-872ca097d19a	01a21b3d-1ce9-7f89-b7fc-c5066d4ccafc	17	3	'17':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 17	{"chunkIndex": 0}	\\x79fb0a29160664258d78bbf886dbaf11
01a21b3d-1cea-79ba-8984-cfafdb3672f9	01a21b3d-1ce9-7f99-a24a-4e761d64a3f0	18	3	'18':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 18	{"chunkIndex": 0}	\\xd6029048ec03c70b99e91a43bb088d15
01a21b3d-1cea-79be-a807-51657b5fce24	01a21b3d-1ce9-7fa5-9e2c-6f0de3fe1552	19	3	'19':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 19	{"chunkIndex": 0}	\\x1b9e9883ec54296581f2650b78e2989a
01a21b3d-1cea-79be-8b58-6868fc5ec65d	01a21b3d-1ce9-7fb2-8fda-48c8e9729de8	20	3	'20':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 20	{"chunkIndex": 0}	\\xe29a88aff59cea87a7767aa757622bb0
\.
COPY kb_index_hnsw.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1ce9-7ab4-95d6-a0c83456d3cb	\N	document	\N	\N	River number 1	\N	\N	\N	\N	{}	\\x39318020bdb633a42f431823d68d8a6d38b3f8a798db761689ccfc9a14b75599	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7e51-9bad-d5ad559ed825	\N	document	\N	\N	River number 2	\N	\N	\N	\N	{}	\\xc3120617cdd39cf3e0202897da9a5fe9e505a55f5af55ab60b42a1371b5ef6f9	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7e97-9360-ce98aff058ef	\N	document	\N	\N	River number 3	\N	\N	\N	\N	{}	\\x7e666bb72a6e808cb1e8b56b1963c3684640e2208a501fed89db05a206ecfa41	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7ea7-8b82-43c237deb924	\N	document	\N	\N	River number 4	\N	\N	\N	\N	{}	\\x94fefeb6e6124fb88b3e0da257f3769e3dd284ea90aaf5451839c966ffb51f17	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7ef1-890e-5bd9b17d3eef	\N	document	\N	\N	River number 5	\N	\N	\N	\N	{}	\\xe318932decd9289d6d78f8461c9b4d3d30c081cb226cdffb9dac303e48dc890f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7efd-afd6-902bdbb1a3b0	\N	document	\N	\N	River number 6	\N	\N	\N	\N	{}	\\x5b6642ffb633adda1b54d6e711f3767ac9c4021e75a5d0dcc650faf45d36216f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f0a-bf20-ba4cb9203ade	\N	document	\N	\N	River number 7	\N	\N	\N	\N	{}	\\xd487e05e44f3b2f24fe3f9d287ed02cf9ab1baef4c02c15fce71810cf345fc4c	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f16-8762-2286d2adea12	\N	document	\N	\N	River number 8	\N	\N	\N	\N	{}	\\x0b5361345996d3e6aac268cc3338c501c8b12e038188aa05c18875e0700e19bd	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f26-8111-4fc40121bc76	\N	document	\N	\N	River number 9	\N	\N	\N	\N	{}	\\x9ccdf7ceec87af0146aea750381108121d1384649303f505a3ec92a3566f1e91	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f33-a3af-3d1913adea80	\N	document	\N	\N	River number 10	\N	\N	\N	\N	{}	\\x0d8d0a7d53826bfaafa71a5cf610eed070cfc85b56d2250f98bb361a4d40f6b6	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f3f-815a-3942738e1094	\N	document	\N	\N	River number 11	\N	\N	\N	\N	{}	\\xb2e277ede2c77195926c4b9a607d01e12fd38af820fc515f8f3f284f38a39b50	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f4b-8f40-e7c491095512	\N	document	\N	\N	River number 12	\N	\N	\N	\N	{}	\\xa5a5d2f054ab98fc979bdf6f8a3af687894116dc296db0e3fcdba5f9aa2cc5a9	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f58-8399-39400817c7e8	\N	document	\N	\N	River number 13	\N	\N	\N	\N	{}	\\x5692488eb641e858e136e5234861ed68a42ea8872fc8f15b08d9c6a9a1821b10	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f64-abd9-2090745bd557	\N	document	\N	\N	River number 14	\N	\N	\N	\N	{}	\\xa373e775d8d37c8db6aad6c4afbcacc888444e74777f492d185259e1042ff797	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f70-83d9-8beab89b293d	\N	document	\N	\N	River number 15	\N	\N	\N	\N	{}	\\x6b51560ff9783367a680fad2980e3c57e27b4ce2f74d8fd1d43dc12dd0fa4f32	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f7c-8624-6fe115e32ded	\N	document	\N	\N	River number 16	\N	\N	\N	\N	{}	\\x0e4bb8621e7d39e226d2ebc0fb63cb8c224fbe3148a27f8dc0c2e92bfd4d3233	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f89-b7fc-c5066d4ccafc	\N	document	\N	\N	River number 17	\N	\N	\N	\N	{}	\\x31769f2df6411a50f75a24b32829555188f9428d9e3cf62b0c7dece13da57043	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7f99-a24a-4e761d64a3f0	\N	document	\N	\N	River number 18	\N	\N	\N	\N	{}	\\x434ab3116facd0674d19e22a9c29f1140b716c4acf2fe7b5a13f4435ca1fc6f7	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7fa5-9e2c-6f0de3fe1552	\N	document	\N	\N	River number 19	\N	\N	\N	\N	{}	\\x748aa43d795c3df3c17002e3852d78b009780f0756391de39d4fb7247333949d	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
01a21b3d-1ce9-7fb2-8fda-48c8e9729de8	\N	document	\N	\N	River number 20	\N	\N	\N	\N	{}	\\x17caa509b485cf88364170ae496811d10e27dab0396f4e48d1a0f5878f325423	\N	\N	indexed	\N	f	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00	2026-11-27 04:21:59.657536+00
\.
COPY kb_index_hnsw.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1cea-7960-9c03-947101f54401	[-0.35355338,0,-0.35355338,0.35355338,-0.70710677,0.35355338,0,0]
01a21b3d-1cea-7970-8136-b007ff336433	[0,-0.31622776,-0.31622776,0.31622776,-0.6324555,0.31622776,-0.31622776,-0.31622776]
01a21b3d-1cea-7978-a681-77ffb4d9994f	[0,-0.57735026,0,0.28867513,-0.57735026,0.28867513,0.28867513,0.28867513]
01a21b3d-1cea-797c-95e6-be1dba53639e	[0.31622776,-0.31622776,-0.31622776,0.31622776,-0.6324555,0.31622776,0,-0.31622776]
01a21b3d-1cea-7981-a4dd-29a1ac07a4d6	[0,-0.35355338,-0.35355338,0,-0.70710677,0.35355338,0.35355338,0]
01a21b3d-1cea-7985-b355-a854ca442f13	[0,-0.35355338,-0.35355338,0,-0.70710677,-0.35355338,0.35355338,0]
01a21b3d-1cea-7989-b198-99860074a760	[0.28867513,-0.28867513,0,0.28867513,-0.57735026,0.57735026,-0.28867513,0]
01a21b3d-1cea-798d-b390-25ef5cdf9dfe	[0,0,0.6324555,0.31622776,-0.6324555,0.31622776,0,0]
01a21b3d-1cea-7991-ac23-cc5006b335bd	[-0.26726124,-0.26726124,0.26726124,0.5345225,-0.5345225,0.26726124,0.26726124,-0.26726124]
01a21b3d-1cea-7999-8ea0-ae02f6be89d5	[0,-0.28867513,0,0.57735026,-0.28867513,0.57735026,0.28867513,0.28867513]
01a21b3d-1cea-799d-942a-ed31ace4c9fa	[0,-0.28867513,0,0.28867513,-0.86602545,0,0.28867513,0]
01a21b3d-1cea-799d-adbd-90d652fd9955	[0.26726124,-0.26726124,0,0.26726124,-0.8017837,-0.26726124,0.26726124,0]
01a21b3d-1cea-79a1-bb43-8f7c3f50c44d	[0,-0.47140455,0,0.47140455,-0.7071068,0,0.23570228,0]
01a21b3d-1cea-79a5-86a7-775473b7d865	[0.31622776,-0.31622776,0,0.31622776,-0.31622776,0.6324555,0.31622776,0.31622776]
01a21b3d-1cea-79a9-a7c0-e10978157274	[0,-0.5,0,0.75,-0.25,0.25,0.25,0]
01a21b3d-1cea-79a9-ab85-d9d399cd4c3f	[0,-0.23570228,-0.23570228,0.47140455,-0.47140455,0.47140455,0.47140455,0]
01a21b3d-1cea-79ae-923a-872ca097d19a	[0,-0.31622776,0.31622776,0.31622776,-0.6324555,0.31622776,0.31622776,-0.31622776]
01a21b3d-1cea-79ba-8984-cfafdb3672f9	[0,-0.25,0,0.75,-0.5,0,0.25,-0.25]
01a21b3d-1cea-79be-8b58-6868fc5ec65d	[0.23570228,-0.23570228,0.23570228,0.23570228,-0.7071068,0.23570228,0.47140455,0]
01a21b3d-1cea-79be-a807-51657b5fce24	[-0.26726124,-0.26726124,0,0.26726124,-0.8017837,0,0.26726124,0.26726124]
\.
COPY kb_index_hnsw.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_index_hnsw.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	20	60	{"pg_catalog.english": 20}	1	20	0	1	\\x00142914020302030203020302030203020302030203020302030203020302030203020302030203020302030131010301000202313001030109020231310103010a020231320103010b020231330103010c020231340103010d020231350103010e020231360103010f0202313701030110020231380103011102023139010301120201320103010102023230010301130201330103010202013401030103020135010301040201360103010502013701030106020138010301070201390103010802066e756d6265721429140002010201020102010201020102010201020102010201020102010201020102010201020102010205726976657214291400020102010201020102010201020102010201020102010201020102010201020102010201020102
\.
COPY kb_index_hnsw.setting (name, value) FROM stdin;
id	01a21b3d-1cb5-7c97-8952-4baaf98b9148
name	index hnsw
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	hnsw
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_index_hnsw.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_index_ivfflat.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1ced-7f9d-8fc3-eac9812d919e	01a21b3d-1ced-7343-97cb-f90575165800	1	3	'1':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 1	{"chunkIndex": 0}	\\xcc7cbd3cde4a621909558e1f46f505d7
01a21b3d-1ced-7fae-bf04-cfdcf8eabbfa	01a21b3d-1ced-75a5-bb8d-f374a4b83e83	2	3	'2':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 2	{"chunkIndex": 0}	\\x9d1d9adb93af298b8991c7d73f154894
01a21b3d-1ced-7fb6-a93d-bf64a1e0f8bc	01a21b3d-1ced-75e3-b246-380fee85fd8f	3	3	'3':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 3	{"chunkIndex": 0}	\\x50d40780e40cb84014b3bb09f2f8c8a2
01a21b3d-1ced-7fb6-acec-c83534b01206	01a21b3d-1ced-75f3-866b-7b6df048d7e6	4	3	'4':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 4	{"chunkIndex": 0}	\\xc601c6a8bc1a85a9d5ad40566c9b31f2
01a21b3d-1ced-7fba-b6ad-0954b9a9e045	01a21b3d-1ced-7600-a8fd-28f563178cd0	5	3	'5':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 5	{"chunkIndex": 0}	\\x9716db5856ec387f4d2225854419922d
01a21b3d-1ced-7fc2-946f-72bbb80b10bb	01a21b3d-1ced-760c-a611-600d87013849	6	3	'6':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 6	{"chunkIndex": 0}	\\x56e721fcd34186f5f46dc751514e4d30
01a21b3d-1ced-7fc6-8a50-dcf16d21bdda	01a21b3d-1ced-7618-8364-6b6c9a8ea771	7	3	'7':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 7	{"chunkIndex": 0}	\\x5faeb69193fef3763c4ea113b79eca75
01a21b3d-1ced-7fca-b5d3-a6da87d7a76c	01a21b3d-1ced-7624-b6c9-2fad3f7fc8ad	8	3	'8':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 8	{"chunkIndex": 0}	\\xede454a91257913ac81127e284350392
01a21b3d-1cee-7000-8d72-7dd8097ee73b	01a21b3d-1ced-7631-88bc-1904b6ddf555	9	3	'9':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 9	{"chunkIndex": 0}	\\x6cc961818fd9c9098960a659c4b400ef
01a21b3d-1cee-7008-a76d-a780f6fedbb9	01a21b3d-1ced-763d-a1bd-5735dea8c4f0	10	3	'10':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 10	{"chunkIndex": 0}	\\x7b0fd21e222f5f4f4e8f28b528ac86c3
01a21b3d-1cee-700c-959b-544f1fc6d58f	01a21b3d-1ced-7649-9b5b-7891bb9d3e29	11	3	'11':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 11	{"chunkIndex": 0}	\\xc0a324a56f133de7ca15cb33cbc2ae19
01a21b3d-1cee-7010-8eb4-6219f5cbd874	01a21b3d-1ced-7656-97d9-a168b40b7fc2	12	3	'12':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 12	{"chunkIndex": 0}	\\x00af27a096c339feb77b91e4b57a2e86
01a21b3d-1cee-7014-a565-459d6a431cab	01a21b3d-1ced-7662-baef-028967fad5a7	13	3	'13':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 13	{"chunkIndex": 0}	\\x913ec9eaca9e68505c5f734407c90bc2
01a21b3d-1cee-7014-92d6-dcd549aac823	01a21b3d-1ced-766e-8cee-a38f95930112	14	3	'14':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 14	{"chunkIndex": 0}	\\xd5a12eed34da20f1ffd5efe4ef96d5b2
01a21b3d-1cee-7018-936c-1e681283cf1e	01a21b3d-1ced-767a-8fd4-1b170f7cd9d3	15	3	'15':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 15	{"chunkIndex": 0}	\\x7a1e830639ac2ce8d44501d21f09638f
01a21b3d-1cee-701c-a6b5-0d88095d003e	01a21b3d-1ced-7683-9ba1-e41d2305f33e	16	3	'16':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 16	{"chunkIndex": 0}	\\x3e400452bf0aae66c538a2e026e10899
01a21b3d-1cee-7020-b23a-71b8a83eb98a	01a21b3d-1ced-768f-b98f-40d18b3efd84	17	3	'17':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 17	{"chunkIndex": 0}	\\x79fb0a29160664258d78bbf886dbaf11
01a21b3d-1cee-7028-a182-2c869ecadc80	01a21b3d-1ced-769b-ba40-d88df5da0179	18	3	'18':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 18	{"chunkIndex": 0}	\\xd6029048ec03c70b99e91a43bb088d15
01a21b3d-1cee-702d-bac0-75b12aafd3e9	01a21b3d-1ced-76a7-8c64-bed7bf807814	19	3	'19':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 19	{"chunkIndex": 0}	\\x1b9e9883ec54296581f2650b78e2989a
01a21b3d-1cee-702d-a5ed-c48c8ed268b8	01a21b3d-1ced-76b4-bdc0-449a28c3b563	20	3	'20':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 20	{"chunkIndex": 0}	\\xe29a88aff59cea87a7767aa757622bb0
\.
COPY kb_index_ivfflat.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1ced-7343-97cb-f90575165800	\N	document	\N	\N	River number 1	\N	\N	\N	\N	{}	\\x39318020bdb633a42f431823d68d8a6d38b3f8a798db761689ccfc9a14b75599	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-75a5-bb8d-f374a4b83e83	\N	document	\N	\N	River number 2	\N	\N	\N	\N	{}	\\xc3120617cdd39cf3e0202897da9a5fe9e505a55f5af55ab60b42a1371b5ef6f9	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-75e3-b246-380fee85fd8f	\N	document	\N	\N	River number 3	\N	\N	\N	\N	{}	\\x7e666bb72a6e808cb1e8b56b1963c3684640e2208a501fed89db05a206ecfa41	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-75f3-866b-7b6df048d7e6	\N	document	\N	\N	River number 4	\N	\N	\N	\N	{}	\\x94fefeb6e6124fb88b3e0da257f3769e3dd284ea90aaf5451839c966ffb51f17	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7600-a8fd-28f563178cd0	\N	document	\N	\N	River number 5	\N	\N	\N	\N	{}	\\xe318932decd9289d6d78f8461c9b4d3d30c081cb226cdffb9dac303e48dc890f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-760c-a611-600d87013849	\N	document	\N	\N	River number 6	\N	\N	\N	\N	{}	\\x5b6642ffb633adda1b54d6e711f3767ac9c4021e75a5d0dcc650faf45d36216f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7618-8364-6b6c9a8ea771	\N	document	\N	\N	River number 7	\N	\N	\N	\N	{}	\\xd487e05e44f3b2f24fe3f9d287ed02cf9ab1baef4c02c15fce71810cf345fc4c	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7624-b6c9-2fad3f7fc8ad	\N	document	\N	\N	River number 8	\N	\N	\N	\N	{}	\\x0b5361345996d3e6aac268cc3338c501c8b12e038188aa05c18875e0700e19bd	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7631-88bc-1904b6ddf555	\N	document	\N	\N	River number 9	\N	\N	\N	\N	{}	\\x9ccdf7ceec87af0146aea750381108121d1384649303f505a3ec92a3566f1e91	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-763d-a1bd-5735dea8c4f0	\N	document	\N	\N	River number 10	\N	\N	\N	\N	{}	\\x0d8d0a7d53826bfaafa71a5cf610eed070cfc85b56d2250f98bb361a4d40f6b6	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7649-9b5b-7891bb9d3e29	\N	document	\N	\N	River number 11	\N	\N	\N	\N	{}	\\xb2e277ede2c77195926c4b9a607d01e12fd38af820fc515f8f3f284f38a39b50	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7656-97d9-a168b40b7fc2	\N	document	\N	\N	River number 12	\N	\N	\N	\N	{}	\\xa5a5d2f054ab98fc979bdf6f8a3af687894116dc296db0e3fcdba5f9aa2cc5a9	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7662-baef-028967fad5a7	\N	document	\N	\N	River number 13	\N	\N	\N	\N	{}	\\x5692488eb641e858e136e5234861ed68a42ea8872fc8f15b08d9c6a9a1821b10	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-766e-8cee-a38f95930112	\N	document	\N	\N	River number 14	\N	\N	\N	\N	{}	\\xa373e775d8d37c8db6aad6c4afbcacc888444e74777f492d185259e1042ff797	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-767a-8fd4-1b170f7cd9d3	\N	document	\N	\N	River number 15	\N	\N	\N	\N	{}	\\x6b51560ff9783367a680fad2980e3c57e27b4ce2f74d8fd1d43dc12dd0fa4f32	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-7683-9ba1-e41d2305f33e	\N	document	\N	\N	River number 16	\N	\N	\N	\N	{}	\\x0e4bb8621e7d39e226d2ebc0fb63cb8c224fbe3148a27f8dc0c2e92bfd4d3233	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-768f-b98f-40d18b3efd84	\N	document	\N	\N	River number 17	\N	\N	\N	\N	{}	\\x31769f2df6411a50f75a24b32829555188f9428d9e3cf62b0c7dece13da57043	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-769b-ba40-d88df5da0179	\N	document	\N	\N	River number 18	\N	\N	\N	\N	{}	\\x434ab3116facd0674d19e22a9c29f1140b716c4acf2fe7b5a13f4435ca1fc6f7	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-76a7-8c64-bed7bf807814	\N	document	\N	\N	River number 19	\N	\N	\N	\N	{}	\\x748aa43d795c3df3c17002e3852d78b009780f0756391de39d4fb7247333949d	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
01a21b3d-1ced-76b4-bdc0-449a28c3b563	\N	document	\N	\N	River number 20	\N	\N	\N	\N	{}	\\x17caa509b485cf88364170ae496811d10e27dab0396f4e48d1a0f5878f325423	\N	\N	indexed	\N	f	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00	2026-11-27 04:21:59.66108+00
\.
COPY kb_index_ivfflat.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1ced-7f9d-8fc3-eac9812d919e	[-0.35355338,0,-0.35355338,0.35355338,-0.70710677,0.35355338,0,0]
01a21b3d-1ced-7fae-bf04-cfdcf8eabbfa	[0,-0.31622776,-0.31622776,0.31622776,-0.6324555,0.31622776,-0.31622776,-0.31622776]
01a21b3d-1ced-7fb6-a93d-bf64a1e0f8bc	[0,-0.57735026,0,0.28867513,-0.57735026,0.28867513,0.28867513,0.28867513]
01a21b3d-1ced-7fb6-acec-c83534b01206	[0.31622776,-0.31622776,-0.31622776,0.31622776,-0.6324555,0.31622776,0,-0.31622776]
01a21b3d-1ced-7fba-b6ad-0954b9a9e045	[0,-0.35355338,-0.35355338,0,-0.70710677,0.35355338,0.35355338,0]
01a21b3d-1ced-7fc2-946f-72bbb80b10bb	[0,-0.35355338,-0.35355338,0,-0.70710677,-0.35355338,0.35355338,0]
01a21b3d-1ced-7fc6-8a50-dcf16d21bdda	[0.28867513,-0.28867513,0,0.28867513,-0.57735026,0.57735026,-0.28867513,0]
01a21b3d-1ced-7fca-b5d3-a6da87d7a76c	[0,0,0.6324555,0.31622776,-0.6324555,0.31622776,0,0]
01a21b3d-1cee-7000-8d72-7dd8097ee73b	[-0.26726124,-0.26726124,0.26726124,0.5345225,-0.5345225,0.26726124,0.26726124,-0.26726124]
01a21b3d-1cee-7008-a76d-a780f6fedbb9	[0,-0.28867513,0,0.57735026,-0.28867513,0.57735026,0.28867513,0.28867513]
01a21b3d-1cee-700c-959b-544f1fc6d58f	[0,-0.28867513,0,0.28867513,-0.86602545,0,0.28867513,0]
01a21b3d-1cee-7010-8eb4-6219f5cbd874	[0.26726124,-0.26726124,0,0.26726124,-0.8017837,-0.26726124,0.26726124,0]
01a21b3d-1cee-7014-92d6-dcd549aac823	[0.31622776,-0.31622776,0,0.31622776,-0.31622776,0.6324555,0.31622776,0.31622776]
01a21b3d-1cee-7014-a565-459d6a431cab	[0,-0.47140455,0,0.47140455,-0.7071068,0,0.23570228,0]
01a21b3d-1cee-7018-936c-1e681283cf1e	[0,-0.23570228,-0.23570228,0.47140455,-0.47140455,0.47140455,0.47140455,0]
01a21b3d-1cee-701c-a6b5-0d88095d003e	[0,-0.5,0,0.75,-0.25,0.25,0.25,0]
01a21b3d-1cee-7020-b23a-71b8a83eb98a	[0,-0.31622776,0.31622776,0.31622776,-0.6324555,0.31622776,0.31622776,-0.31622776]
01a21b3d-1cee-7028-a182-2c869ecadc80	[0,-0.25,0,0.75,-0.5,0,0.25,-0.25]
01a21b3d-1cee-702d-a5ed-c48c8ed268b8	[0.23570228,-0.23570228,0.23570228,0.23570228,-0.7071068,0.23570228,0.47140455,0]
01a21b3d-1cee-702d-bac0-75b12aafd3e9	[-0.26726124,-0.26726124,0,0.26726124,-0.8017837,0,0.26726124,0.26726124]
\.
COPY kb_index_ivfflat.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_index_ivfflat.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	20	60	{"pg_catalog.english": 20}	1	20	0	1	\\x00142914020302030203020302030203020302030203020302030203020302030203020302030203020302030131010301000202313001030109020231310103010a020231320103010b020231330103010c020231340103010d020231350103010e020231360103010f0202313701030110020231380103011102023139010301120201320103010102023230010301130201330103010202013401030103020135010301040201360103010502013701030106020138010301070201390103010802066e756d6265721429140002010201020102010201020102010201020102010201020102010201020102010201020102010205726976657214291400020102010201020102010201020102010201020102010201020102010201020102010201020102
\.
COPY kb_index_ivfflat.setting (name, value) FROM stdin;
id	01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4
name	index ivfflat
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	ivfflat
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_index_ivfflat.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_index_none.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1cf0-7b43-818c-6e5e1caca4df	01a21b3d-1cef-7e51-942c-592a9991a2d0	1	3	'1':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 1	{"chunkIndex": 0}	\\xcc7cbd3cde4a621909558e1f46f505d7
01a21b3d-1cf0-7b53-83a1-073ad42bfe74	01a21b3d-1cf0-712b-90e2-907a6ac97591	2	3	'2':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 2	{"chunkIndex": 0}	\\x9d1d9adb93af298b8991c7d73f154894
01a21b3d-1cf0-7b58-adad-e295cf4baa43	01a21b3d-1cf0-7181-9eb2-eb1bfe901c60	3	3	'3':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 3	{"chunkIndex": 0}	\\x50d40780e40cb84014b3bb09f2f8c8a2
01a21b3d-1cf0-7b5c-8956-187fe4e338ee	01a21b3d-1cf0-7191-8c6a-529b60ced0e1	4	3	'4':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 4	{"chunkIndex": 0}	\\xc601c6a8bc1a85a9d5ad40566c9b31f2
01a21b3d-1cf0-7b60-86c6-32d206659e4a	01a21b3d-1cf0-719d-a732-9b27d80b9025	5	3	'5':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 5	{"chunkIndex": 0}	\\x9716db5856ec387f4d2225854419922d
01a21b3d-1cf0-7b68-bed0-bbc2efbbc0d7	01a21b3d-1cf0-71a9-b27a-d314b64eba6b	6	3	'6':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 6	{"chunkIndex": 0}	\\x56e721fcd34186f5f46dc751514e4d30
01a21b3d-1cf0-7b6c-b94b-86b7bf80078e	01a21b3d-1cf0-71b6-9571-80c3151aa5ba	7	3	'7':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 7	{"chunkIndex": 0}	\\x5faeb69193fef3763c4ea113b79eca75
01a21b3d-1cf0-7b70-b009-5f4054d6d95a	01a21b3d-1cf0-71c2-9543-1d6ed41d20ae	8	3	'8':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 8	{"chunkIndex": 0}	\\xede454a91257913ac81127e284350392
01a21b3d-1cf0-7b70-869d-b0ada2cef94a	01a21b3d-1cf0-71ce-af79-65f9e5b960e6	9	3	'9':3 'number':2 'river':1	pg_catalog.english	0	0	14	\N	\N	document	\N	River number 9	{"chunkIndex": 0}	\\x6cc961818fd9c9098960a659c4b400ef
01a21b3d-1cf0-7b78-8d20-df19f8c640b3	01a21b3d-1cf0-71db-b209-bd6f0b6d089e	10	3	'10':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 10	{"chunkIndex": 0}	\\x7b0fd21e222f5f4f4e8f28b528ac86c3
01a21b3d-1cf0-7b7c-8861-dfccbb4076d9	01a21b3d-1cf0-71e7-8bef-8587909237b1	11	3	'11':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 11	{"chunkIndex": 0}	\\xc0a324a56f133de7ca15cb33cbc2ae19
01a21b3d-1cf0-7b81-9eeb-8a3b61637f5a	01a21b3d-1cf0-71f3-928f-edfcb2c39fe3	12	3	'12':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 12	{"chunkIndex": 0}	\\x00af27a096c339feb77b91e4b57a2e86
01a21b3d-1cf0-7b85-8637-46e6071c2898	01a21b3d-1cf0-7200-9d97-16795705871c	13	3	'13':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 13	{"chunkIndex": 0}	\\x913ec9eaca9e68505c5f734407c90bc2
01a21b3d-1cf0-7b85-b71b-e7f876e2cdd2	01a21b3d-1cf0-720c-96ec-a233affd2196	14	3	'14':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 14	{"chunkIndex": 0}	\\xd5a12eed34da20f1ffd5efe4ef96d5b2
01a21b3d-1cf0-7b89-9473-9ed2ebe5b20a	01a21b3d-1cf0-7218-89ef-8d8233986b8d	15	3	'15':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 15	{"chunkIndex": 0}	\\x7a1e830639ac2ce8d44501d21f09638f
01a21b3d-1cf0-7b8d-ac6a-5fa038262fc4	01a21b3d-1cf0-7224-95b0-ed1904113e0e	16	3	'16':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 16	{"chunkIndex": 0}	\\x3e400452bf0aae66c538a2e026e10899
01a21b3d-1cf0-7b8d-92dc-8f82120ee3e5	01a21b3d-1cf0-7231-a27d-69d6b3773d49	17	3	'17':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 17	{"chunkIndex": 0}	\\x79fb0a29160664258d78bbf886dbaf11
01a21b3d-1cf0-7b99-ad64-cc1f86e4b3d7	01a21b3d-1cf0-723d-a442-ab0ad405385c	18	3	'18':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 18	{"chunkIndex": 0}	\\xd6029048ec03c70b99e91a43bb088d15
01a21b3d-1cf0-7b9d-b1ce-1c37b2ccd43c	01a21b3d-1cf0-7249-82b3-6affabf8555a	19	3	'19':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 19	{"chunkIndex": 0}	\\x1b9e9883ec54296581f2650b78e2989a
01a21b3d-1cf0-7b9d-b0c3-c803bd4981e9	01a21b3d-1cf0-7256-9cdf-38955808decd	20	3	'20':3 'number':2 'river':1	pg_catalog.english	0	0	15	\N	\N	document	\N	River number 20	{"chunkIndex": 0}	\\xe29a88aff59cea87a7767aa757622bb0
\.
COPY kb_index_none.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1cef-7e51-942c-592a9991a2d0	\N	document	\N	\N	River number 1	\N	\N	\N	\N	{}	\\x39318020bdb633a42f431823d68d8a6d38b3f8a798db761689ccfc9a14b75599	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-712b-90e2-907a6ac97591	\N	document	\N	\N	River number 2	\N	\N	\N	\N	{}	\\xc3120617cdd39cf3e0202897da9a5fe9e505a55f5af55ab60b42a1371b5ef6f9	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7181-9eb2-eb1bfe901c60	\N	document	\N	\N	River number 3	\N	\N	\N	\N	{}	\\x7e666bb72a6e808cb1e8b56b1963c3684640e2208a501fed89db05a206ecfa41	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7191-8c6a-529b60ced0e1	\N	document	\N	\N	River number 4	\N	\N	\N	\N	{}	\\x94fefeb6e6124fb88b3e0da257f3769e3dd284ea90aaf5451839c966ffb51f17	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-719d-a732-9b27d80b9025	\N	document	\N	\N	River number 5	\N	\N	\N	\N	{}	\\xe318932decd9289d6d78f8461c9b4d3d30c081cb226cdffb9dac303e48dc890f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71a9-b27a-d314b64eba6b	\N	document	\N	\N	River number 6	\N	\N	\N	\N	{}	\\x5b6642ffb633adda1b54d6e711f3767ac9c4021e75a5d0dcc650faf45d36216f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71b6-9571-80c3151aa5ba	\N	document	\N	\N	River number 7	\N	\N	\N	\N	{}	\\xd487e05e44f3b2f24fe3f9d287ed02cf9ab1baef4c02c15fce71810cf345fc4c	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71c2-9543-1d6ed41d20ae	\N	document	\N	\N	River number 8	\N	\N	\N	\N	{}	\\x0b5361345996d3e6aac268cc3338c501c8b12e038188aa05c18875e0700e19bd	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71ce-af79-65f9e5b960e6	\N	document	\N	\N	River number 9	\N	\N	\N	\N	{}	\\x9ccdf7ceec87af0146aea750381108121d1384649303f505a3ec92a3566f1e91	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71db-b209-bd6f0b6d089e	\N	document	\N	\N	River number 10	\N	\N	\N	\N	{}	\\x0d8d0a7d53826bfaafa71a5cf610eed070cfc85b56d2250f98bb361a4d40f6b6	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71e7-8bef-8587909237b1	\N	document	\N	\N	River number 11	\N	\N	\N	\N	{}	\\xb2e277ede2c77195926c4b9a607d01e12fd38af820fc515f8f3f284f38a39b50	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-71f3-928f-edfcb2c39fe3	\N	document	\N	\N	River number 12	\N	\N	\N	\N	{}	\\xa5a5d2f054ab98fc979bdf6f8a3af687894116dc296db0e3fcdba5f9aa2cc5a9	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7200-9d97-16795705871c	\N	document	\N	\N	River number 13	\N	\N	\N	\N	{}	\\x5692488eb641e858e136e5234861ed68a42ea8872fc8f15b08d9c6a9a1821b10	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-720c-96ec-a233affd2196	\N	document	\N	\N	River number 14	\N	\N	\N	\N	{}	\\xa373e775d8d37c8db6aad6c4afbcacc888444e74777f492d185259e1042ff797	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7218-89ef-8d8233986b8d	\N	document	\N	\N	River number 15	\N	\N	\N	\N	{}	\\x6b51560ff9783367a680fad2980e3c57e27b4ce2f74d8fd1d43dc12dd0fa4f32	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7224-95b0-ed1904113e0e	\N	document	\N	\N	River number 16	\N	\N	\N	\N	{}	\\x0e4bb8621e7d39e226d2ebc0fb63cb8c224fbe3148a27f8dc0c2e92bfd4d3233	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7231-a27d-69d6b3773d49	\N	document	\N	\N	River number 17	\N	\N	\N	\N	{}	\\x31769f2df6411a50f75a24b32829555188f9428d9e3cf62b0c7dece13da57043	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-723d-a442-ab0ad405385c	\N	document	\N	\N	River number 18	\N	\N	\N	\N	{}	\\x434ab3116facd0674d19e22a9c29f1140b716c4acf2fe7b5a13f4435ca1fc6f7	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7249-82b3-6affabf8555a	\N	document	\N	\N	River number 19	\N	\N	\N	\N	{}	\\x748aa43d795c3df3c17002e3852d78b009780f0756391de39d4fb7247333949d	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
01a21b3d-1cf0-7256-9cdf-38955808decd	\N	document	\N	\N	River number 20	\N	\N	\N	\N	{}	\\x17caa509b485cf88364170ae496811d10e27dab0396f4e48d1a0f5878f325423	\N	\N	indexed	\N	f	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00	2026-11-27 04:21:59.663765+00
\.
COPY kb_index_none.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1cf0-7b43-818c-6e5e1caca4df	[-0.35355338,0,-0.35355338,0.35355338,-0.70710677,0.35355338,0,0]
01a21b3d-1cf0-7b53-83a1-073ad42bfe74	[0,-0.31622776,-0.31622776,0.31622776,-0.6324555,0.31622776,-0.31622776,-0.31622776]
01a21b3d-1cf0-7b58-adad-e295cf4baa43	[0,-0.57735026,0,0.28867513,-0.57735026,0.28867513,0.28867513,0.28867513]
01a21b3d-1cf0-7b5c-8956-187fe4e338ee	[0.31622776,-0.31622776,-0.31622776,0.31622776,-0.6324555,0.31622776,0,-0.31622776]
01a21b3d-1cf0-7b60-86c6-32d206659e4a	[0,-0.35355338,-0.35355338,0,-0.70710677,0.35355338,0.35355338,0]
01a21b3d-1cf0-7b68-bed0-bbc2efbbc0d7	[0,-0.35355338,-0.35355338,0,-0.70710677,-0.35355338,0.35355338,0]
01a21b3d-1cf0-7b6c-b94b-86b7bf80078e	[0.28867513,-0.28867513,0,0.28867513,-0.57735026,0.57735026,-0.28867513,0]
01a21b3d-1cf0-7b70-869d-b0ada2cef94a	[-0.26726124,-0.26726124,0.26726124,0.5345225,-0.5345225,0.26726124,0.26726124,-0.26726124]
01a21b3d-1cf0-7b70-b009-5f4054d6d95a	[0,0,0.6324555,0.31622776,-0.6324555,0.31622776,0,0]
01a21b3d-1cf0-7b78-8d20-df19f8c640b3	[0,-0.28867513,0,0.57735026,-0.28867513,0.57735026,0.28867513,0.28867513]
01a21b3d-1cf0-7b7c-8861-dfccbb4076d9	[0,-0.28867513,0,0.28867513,-0.86602545,0,0.28867513,0]
01a21b3d-1cf0-7b81-9eeb-8a3b61637f5a	[0.26726124,-0.26726124,0,0.26726124,-0.8017837,-0.26726124,0.26726124,0]
01a21b3d-1cf0-7b85-8637-46e6071c2898	[0,-0.47140455,0,0.47140455,-0.7071068,0,0.23570228,0]
01a21b3d-1cf0-7b85-b71b-e7f876e2cdd2	[0.31622776,-0.31622776,0,0.31622776,-0.31622776,0.6324555,0.31622776,0.31622776]
01a21b3d-1cf0-7b89-9473-9ed2ebe5b20a	[0,-0.23570228,-0.23570228,0.47140455,-0.47140455,0.47140455,0.47140455,0]
01a21b3d-1cf0-7b8d-92dc-8f82120ee3e5	[0,-0.31622776,0.31622776,0.31622776,-0.6324555,0.31622776,0.31622776,-0.31622776]
01a21b3d-1cf0-7b8d-ac6a-5fa038262fc4	[0,-0.5,0,0.75,-0.25,0.25,0.25,0]
01a21b3d-1cf0-7b99-ad64-cc1f86e4b3d7	[0,-0.25,0,0.75,-0.5,0,0.25,-0.25]
01a21b3d-1cf0-7b9d-b0c3-c803bd4981e9	[0.23570228,-0.23570228,0.23570228,0.23570228,-0.7071068,0.23570228,0.47140455,0]
01a21b3d-1cf0-7b9d-b1ce-1c37b2ccd43c	[-0.26726124,-0.26726124,0,0.26726124,-0.8017837,0,0.26726124,0.26726124]
\.
COPY kb_index_none.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_index_none.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	20	60	{"pg_catalog.english": 20}	1	20	0	1	\\x00142914020302030203020302030203020302030203020302030203020302030203020302030203020302030131010301000202313001030109020231310103010a020231320103010b020231330103010c020231340103010d020231350103010e020231360103010f0202313701030110020231380103011102023139010301120201320103010102023230010301130201330103010202013401030103020135010301040201360103010502013701030106020138010301070201390103010802066e756d6265721429140002010201020102010201020102010201020102010201020102010201020102010201020102010205726976657214291400020102010201020102010201020102010201020102010201020102010201020102010201020102
\.
COPY kb_index_none.setting (name, value) FROM stdin;
id	01a21b3d-1cc8-79b2-a120-a1e993524620
name	index none
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	none
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_index_none.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_languages.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1d80-750e-926e-9a35576f8307	01a21b3d-1d7f-7214-a72c-6a95de6daf6c	1	4	'fliess':4 'fluss':1A,3 'meer':6	pg_catalog.german	0	0	28	\N	\N	document	\N	Die Flüsse fließen ins Meer.	{"title": "Fluss", "language": "German", "chunkIndex": 0}	\\x1b1bf8b0999f6a72d42b1e25bd1d47b0
01a21b3d-1d80-753b-8946-602c34ebed4d	01a21b3d-1d7f-75ef-9197-8157e1bc4410	2	6	'coulent':4 'le':2 'mer':7 'rivi':1A,3 'ver':5	pg_catalog.french	0	0	33	\N	\N	document	\N	Les rivières coulent vers la mer.	{"title": "Rivière", "language": "fr", "chunkIndex": 0}	\\xb11ac56b2ce67910db9a3b5c381d9ab1
01a21b3d-1d80-7547-b515-653a6a65bd36	01a21b3d-1d7f-765a-8166-17d2d016460b	3	4	'мор':5 'рек':1A,2 'текут':3	pg_catalog.russian	0	0	18	\N	\N	document	\N	Реки текут в море.	{"title": "Река", "language": "ru", "chunkIndex": 0}	\\x5608f55aa7d77fd625bd36ae385d5c15
01a21b3d-1d80-7553-9f87-1507f6148f1d	01a21b3d-1d7f-767a-aaca-2d87d99d6dac	4	6	'入大':5 '大海':6 '河流':1A,2 '流入':4 '流流':3	pg_catalog.english	0	0	7	\N	\N	document	\N	河流流入大海。	{"title": "河流", "language": "zh", "chunkIndex": 0}	\\x7414b54d680c29048b5141a66ec2564e
\.
COPY kb_languages.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1d7f-7214-a72c-6a95de6daf6c	\N	document	\N	Fluss	Die Flüsse fließen ins Meer.	\N	German	\N	\N	{}	\\x9c21202629c06226c851d994052287058390703314a150b45308f3d549b5bf48	\N	\N	indexed	\N	f	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00
01a21b3d-1d7f-75ef-9197-8157e1bc4410	\N	document	\N	Rivière	Les rivières coulent vers la mer.	\N	fr	\N	\N	{}	\\xeb6dea7dc17f88668acacd793208abd9e1c04b5de02822589cb0787a7f5e939d	\N	\N	indexed	\N	f	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00
01a21b3d-1d7f-765a-8166-17d2d016460b	\N	document	\N	Река	Реки текут в море.	\N	ru	\N	\N	{}	\\xfe78c92743f4ad11e7054e7433c8b13307b9575ca840e4a56cf0c49393e949e8	\N	\N	indexed	\N	f	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00
01a21b3d-1d7f-767a-aaca-2d87d99d6dac	\N	document	\N	河流	河流流入大海。	\N	zh	\N	\N	{}	\\x688d91ba7015d487b39060cb940c26cabb81a63a6da188723cca114c36c25380	\N	\N	indexed	\N	f	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00	2026-11-27 04:21:59.806834+00
\.
COPY kb_languages.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1d80-750e-926e-9a35576f8307	[0.5144958,-0.1714986,0.1714986,0,0.1714986,0.5144958,0.3429972,-0.5144958]
01a21b3d-1d80-753b-8946-602c34ebed4d	[-0.16666667,-0.16666667,0.6666667,0,-0.5,0.16666667,0.33333334,-0.33333334]
01a21b3d-1d80-7547-b515-653a6a65bd36	[-0.21320072,0.21320072,0.21320072,0.21320072,-0.42640144,0.6396021,0.21320072,0.42640144]
01a21b3d-1d80-7553-9f87-1507f6148f1d	[0,0,0.40824828,0.40824828,0,0,0.81649655,0]
\.
COPY kb_languages.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_languages.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	4	20	{"pg_catalog.french": 1, "pg_catalog.german": 1, "pg_catalog.english": 1, "pg_catalog.russian": 1}	1	4	0	1	\\x00040904020402060204020607636f756c656e74010301010206666c69657373010301000205666c75737301050100130101026c650103010102046d6565720103010002036d6572010301010204726976690105010113010103766572010301010206d0bcd0bed180010301020206d180d0b5d0ba010501021301010ad182d0b5d0bad183d182010301020206e585a5e5a4a7010301030206e5a4a7e6b5b7010301030206e6b2b3e6b5810105010313010106e6b581e585a5010301030206e6b581e6b5810103010302
\.
COPY kb_languages.setting (name, value) FROM stdin;
id	01a21b3d-1d72-76e9-9946-9171d92da82e
name	languages
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_languages.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_moving.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1cb1-7db2-907c-9c92f5b50c0b	01a21b3d-1cb1-70dd-bcfa-4f01119e26df	1	3	'box':1A,5 'everyth':2	pg_catalog.english	0	0	23	\N	\N	document	\N	Everything is in boxes.	{"title": "Boxes", "chunkIndex": 0}	\\xcea6ea38f53214c4f0e5ce6caf492f3b
\.
COPY kb_moving.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1cb1-70dd-bcfa-4f01119e26df	\N	document	\N	Boxes	Everything is in boxes.	\N	\N	\N	\N	{}	\\xd01a330be9908b4613ae94717e1b24a318a02d4f9424bf84e10ac80339bd0d9b	\N	\N	indexed	\N	f	2026-11-27 04:21:59.600858+00	2026-11-27 04:21:59.600858+00	2026-11-27 04:21:59.600858+00
\.
COPY kb_moving.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1cb1-7db2-907c-9c92f5b50c0b	[0.75,0,-0.25,0,0.25,0.25,0.5,0]
\.
COPY kb_moving.embedding_4 (chunk_id, embedding) FROM stdin;
\.
COPY kb_moving.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_moving.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	3	{"pg_catalog.english": 1}	1	1	0	1	\\x00010301020303626f780105010013010107657665727974680103010002
\.
COPY kb_moving.setting (name, value) FROM stdin;
id	01a21b3d-1ca7-745a-a775-a9a13e6e41ce
name	moving
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_moving.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_off.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1ce8-76e5-b681-0939d106c56e	01a21b3d-1ce7-7b1e-a279-b47256903e11	1	2	'bare':2 'river':3	pg_catalog.english	0	0	13	\N	4	document	\N	A bare river.	{"chunkIndex": 0}	\\x89fa9c86b88793f84c1f4b9c5e6d05a5
\.
COPY kb_off.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1ce7-7b1e-a279-b47256903e11	\N	document	\N	\N	A bare river.	\N	\N	\N	\N	{}	\\xf36a91289ae2248b93f2a6c4a40c84d4bc758d766cbdcd9ffb26da93077271d3	\N	\N	indexed	\N	f	2026-11-27 04:21:59.655606+00	2026-11-27 04:21:59.655606+00	2026-11-27 04:21:59.655606+00
\.
COPY kb_off.embedding (chunk_id, embedding) FROM stdin;
\.
COPY kb_off.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_off.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	2	{"pg_catalog.english": 1}	1	1	0	1	\\x000103010202046261726501030100020572697665720103010002
\.
COPY kb_off.setting (name, value) FROM stdin;
id	01a21b3d-1cdc-7712-b4e3-1088c646d0b3
name	off
embed	off
model	local/all-minilm-l6-v2
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	384
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	["int8"]
match_threshold	\N
\.
COPY kb_off.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_old_notes.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1c59-7eb8-943b-7c9f2d036a59	01a21b3d-1c58-7f5c-901f-f2006ab179e1	1	11	'1':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	52	\N	\N	document	Part 1	# Part 1\n\nCats and dogs and animal number 1 and more	{"title": "Note 1", "heading": "Part 1", "filePath": "notes/1.md", "chunkIndex": 0}	\\x8917466b9abb5eb0129328203862ecfd
01a21b3d-1c59-7ef1-9a2f-240404b38a47	01a21b3d-1c59-72e5-9d91-ba5c66627c2b	2	11	'2':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	61	\N	\N	document	Part 2	# Part 2\n\nCats and dogs and animal number 2 and more and more	{"title": "Note 2", "heading": "Part 2", "filePath": "notes/2.md", "chunkIndex": 0}	\\x22e8b3283448ae4eb0d2fcf99e3ea42d
01a21b3d-1c59-7f0a-bd89-4f62041b0f69	01a21b3d-1c59-7385-bdce-7835745a6555	4	11	'4':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	79	\N	\N	document	Part 4	# Part 4\n\nCats and dogs and animal number 4 and more and more and more and more	{"title": "Note 4", "heading": "Part 4", "filePath": "notes/4.md", "chunkIndex": 0}	\\x8559f5ccfad8d4f917e745ac5e59a6ee
01a21b3d-1c59-7f16-8329-a7fa4d55a155	01a21b3d-1c59-73a1-a962-8f927159b17a	5	11	'5':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	43	\N	\N	document	Part 5	# Part 5\n\nCats and dogs and animal number 5	{"title": "Note 5", "heading": "Part 5", "filePath": "notes/5.md", "chunkIndex": 0}	\\xbd579810ffe4d1614568caaef73e785e
01a21b3d-1c59-7f22-b8cb-0d548676d9f4	01a21b3d-1c59-73b2-8053-b8fb9b13694a	6	11	'6':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	52	\N	\N	document	Part 6	# Part 6\n\nCats and dogs and animal number 6 and more	{"title": "Note 6", "heading": "Part 6", "filePath": "notes/6.md", "chunkIndex": 0}	\\x89101a759034024408450e10c03f3c0a
01a21b3d-1c5c-71b2-8ade-84a9ae434063	01a21b3d-1c5b-7ba9-9804-56cc21536420	9	5	'haus':10 'hund':6 'katz':3 'schlaf':7 'tier':1A	pg_catalog.german	0	0	49	\N	\N	document	\N	Die Katzen und die Hunde schlafen in den Häusern.	{"title": "Tiere", "language": "de", "chunkIndex": 0}	\\xa5fdf9d36a10f90bf29d1f0980029ab4
01a21b3d-1c5e-7639-8e39-1851a2e6584b	01a21b3d-1c59-7370-a326-c44050dabd2c	10	12	'3':2A,4B,6,13 'anim':11 'cat':7 'chang':20 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	78	\N	\N	document	Part 3	# Part 3\n\nCats and dogs and animal number 3 and more and more and more changed	{"title": "Note 3", "heading": "Part 3", "filePath": "notes/3.md", "chunkIndex": 0}	\\x30073c0aedaf8af78acb3e43cea131b3
\.
COPY kb_old_notes.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1c58-7f5c-901f-f2006ab179e1	\N	document	notes/1.md	Note 1	# Part 1\n\nCats and dogs and animal number 1 and more	\N	\N	\N	\N	{}	\\xc323ea3e5026366267dba4769174952369940fdebfcb692e51feb49e0504e4fd	\N	\N	indexed	\N	f	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00
01a21b3d-1c59-72e5-9d91-ba5c66627c2b	\N	document	notes/2.md	Note 2	# Part 2\n\nCats and dogs and animal number 2 and more and more	\N	\N	\N	\N	{}	\\x3abe19673be5aff36ce3fb621d61bd9884211b95d5e4aa80ab9349f695158eb7	\N	\N	indexed	\N	f	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00
01a21b3d-1c59-7385-bdce-7835745a6555	\N	document	notes/4.md	Note 4	# Part 4\n\nCats and dogs and animal number 4 and more and more and more and more	\N	\N	\N	\N	{}	\\x07052785aeb8c59a06651a92194e07d2c95b016dfe14d6906a356f3bc4159104	\N	\N	indexed	\N	f	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00
01a21b3d-1c59-73a1-a962-8f927159b17a	\N	document	notes/5.md	Note 5	# Part 5\n\nCats and dogs and animal number 5	\N	\N	\N	\N	{}	\\x50c4aa4a833f066832975eb76d27e43d3b3515df99b2c3edac2d0ec4fb3910bc	\N	\N	indexed	\N	f	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00
01a21b3d-1c59-73b2-8053-b8fb9b13694a	\N	document	notes/6.md	Note 6	# Part 6\n\nCats and dogs and animal number 6 and more	\N	\N	\N	\N	{}	\\x84ed30dbd62049b73281d6bdb727a0393839d84038805fb025c5f4988a7e37c8	\N	\N	indexed	\N	f	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.512628+00
01a21b3d-1c5b-7ba9-9804-56cc21536420	\N	document	\N	Tiere	Die Katzen und die Hunde schlafen in den Häusern.	\N	de	\N	\N	{}	\\x8b27a5cffdb4649b469e8d4836e428991b8d74dff5f669e6356de2872f606aca	\N	\N	indexed	\N	f	2026-11-27 04:21:59.515684+00	2026-11-27 04:21:59.515684+00	2026-11-27 04:21:59.515684+00
01a21b3d-1c5c-7cb8-af21-64fb893972ca	\N	document	\N	Empty		\N	\N	\N	\N	{}	\\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855	\N	\N	indexed	\N	f	2026-11-27 04:21:59.516763+00	2026-11-27 04:21:59.516763+00	2026-11-27 04:21:59.516763+00
01a21b3d-1c59-7370-a326-c44050dabd2c	\N	document	notes/3.md	Note 3	# Part 3\n\nCats and dogs and animal number 3 and more and more and more changed	\N	\N	\N	\N	{}	\\x9ccbeec0892eee52b3387539659f7e1a1109e0694192e6f6eda8507b18f1990a	\N	\N	indexed	\N	f	2026-11-27 04:21:59.512628+00	2026-11-27 04:21:59.517154+00	2026-11-27 04:21:59.517154+00
\.
COPY kb_old_notes.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1c59-7eb8-943b-7c9f2d036a59	[-0.34554738,0.25916052,-0.69109476,0.4319342,0.086386845,0.25916052,-0.25916052,-0.086386845]
01a21b3d-1c59-7ef1-9a2f-240404b38a47	[0,-0.064018436,-0.6401844,0.44812906,0.12803687,0.25607374,-0.44812906,-0.3200922]
01a21b3d-1c59-7f0a-bd89-4f62041b0f69	[0.19518001,-0.048795003,-0.68313,0.536745,0.19518001,0.29277,-0.146385,-0.24397501]
01a21b3d-1c59-7f16-8329-a7fa4d55a155	[0,-0.15075567,-0.904534,-0.15075567,0,0.30151135,0.15075567,-0.15075567]
01a21b3d-1c59-7f22-b8cb-0d548676d9f4	[0,-0.10314212,-0.82513696,0.10314212,0.10314212,-0.5157106,0.10314212,-0.10314212]
01a21b3d-1c5c-71b2-8ade-84a9ae434063	[-0.5883484,0.39223227,-0.39223227,0.39223227,0,0.39223227,0.19611613,0]
01a21b3d-1c5e-7639-8e39-1851a2e6584b	[0,-0.3666178,-0.58658844,0.58658844,0.21997067,0.29329422,0.14664711,0.14664711]
\.
COPY kb_old_notes.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_old_notes.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	8	88	{"pg_catalog.english": 8}	1	8	0	1	\\x00081108020b020b020b020b020b020b020b020b0131010601001b0201010132010601011b0201010133010601021b0201010134010601031b0201010135010601041b0201010136010601051b0201010137010601061b0201010138010601071b02010104616e696d08110800020102010201020102010201020102036361740811080002010201020102010201020102010203646f6708110800020102010201020102010201020102046e6f7465081908001101011101011101011101011101011101011101011101066e756d626572081108000201020102010201020102010201020470617274082108000b0101010b0101010b0101010b0101010b0101010b0101010b0101010b0101
2	0	1	1	5	{"pg_catalog.german": 1}	9	9	0	1	\\x000103011205046861757301030100020468756e640103010002046b61747a0103010002067363686c616601030100020474696572010401001101
3	0	1	1	12	{"pg_catalog.english": 1}	10	10	0	1	\\x00010301140c0133010601001b02010104616e696d0103010002036361740103010002056368616e67010301000203646f670103010002046e6f7465010401001101066e756d62657201030100020470617274010501000b0101
4	0	-1	1	11	{"pg_catalog.english": -1}	3	3	0	1	\\x00010301060b0133010601001b02010104616e696d010301000203636174010301000203646f670103010002046e6f7465010401001101066e756d62657201030100020470617274010501000b0101
5	0	-1	2	22	{"pg_catalog.english": -2}	7	8	0	1	\\x000205020e0b020b0137010601001b0201010138010601011b02010104616e696d02050200020102036361740205020002010203646f6702050200020102046e6f7465020702001101011101066e756d626572020502000201020470617274020902000b0101010b0101
\.
COPY kb_old_notes.setting (name, value) FROM stdin;
id	01a21b3d-1c4f-7a0c-b668-e09c882fa003
name	Old notes
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	200
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	3
chunk_overlap	20
chunk_strategy	markdown
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_old_notes.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_rag.agent_knowledge_base (agent_id, knowledge_base_id, attached_at, filter) FROM stdin;
a0000000-0000-0000-0000-00000000000a	01a21b3d-1c4f-7a0c-b668-e09c882fa003	2026-11-27 04:21:59.51923+00	{}
a0000000-0000-0000-0000-00000000000b	01a21b3d-1c4f-7a0c-b668-e09c882fa003	2026-11-27 04:21:59.520149+00	{"title": "Note 1"}
\.
COPY kb_rag.attached_table (source_id, knowledge_base_id, location, relation, uses, labels, names, numbers, source_type, is_read, read_to, rows_read, rows_in_all, attached_at, row_security, row_secured) FROM stdin;
01a21b3d-1c7a-7a24-9fda-633d5166e810	01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2	public.articles	17578	{content,title,key,metadata}	{body,headline,id,topic}	{body,headline,id,topic}	{3,2,1,4}	table	t	{2}	2	2	2026-11-27 04:21:59.544641+00	refuse	f
01a21b3d-1c83-74a3-b662-ef8bbc487395	01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2	public.parts	17586	{content,key}	{body,id}	{body,id}	{2,1}	table	t	{1}	1	1	2026-11-27 04:21:59.554343+00	ignore	f
\.
COPY kb_rag.job (id, knowledge_base_id, kind, target, attempts, due_at, worker, claimed_at, lease_until, failed, held_up_at, error, created_at, generation, unusable) FROM stdin;
01a21b3d-1c98-7d3b-ba02-3c6bf21c4bee	01a21b3d-1c8d-7841-b5e7-8f298de20a1e	embed	01a21b3d-1c97-71ce-89b1-e587ef216ce5	0	2026-11-27 04:21:59.574915+00	\N	\N	\N	f	\N	\N	2026-11-27 04:21:59.574915+00	0	{}
01a21b3d-1ca6-7497-827f-212d0916262a	01a21b3d-1c9b-7893-aae2-e17c7d6b7a89	embed	01a21b3d-1ca4-7a9b-9815-e98c7226aaa6	0	2026-11-27 04:21:59.588474+00	\N	\N	\N	f	\N	\N	2026-11-27 04:21:59.588474+00	0	{}
01a21b3d-1cb5-751a-8fd6-f17ebabe6fea	01a21b3d-1ca7-745a-a775-a9a13e6e41ce	change	01a21b3d-1cb1-70dd-bcfa-4f01119e26df	0	2026-11-27 04:21:59.603249+00	\N	\N	\N	f	\N	\N	2026-11-27 04:21:59.603249+00	0	{}
\.
COPY kb_rag.knowledge_base (id, name, slug, schema, description, owner, model, dimensions, chunk_size, chunk_overlap, chunk_unit, chunk_strategy, text_config, ranker, bm25_k1, bm25_b, title_weight, heading_weight, match_threshold, index_method, embed, model_variants, next_model, next_dimensions, created_at) FROM stdin;
01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c	handbook	handbook	kb_handbook	how we work	postgres	local/all-minilm-l6-v2	384	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{int8}	\N	\N	2026-11-27 04:21:59.466091+00
01a21b3d-1c4f-7a0c-b668-e09c882fa003	Old notes	old_notes	kb_old_notes	\N	postgres	fake/test	8	200	20	char	markdown	pg_catalog.english	bm25	1.2	0.75	3	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.503236+00
01a21b3d-1c61-769b-a37b-c60b310729dc	drinks	drinks	kb_drinks	\N	postgres	fake/example	3	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.521175+00
01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2	shop	shop	kb_shop	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.53561+00
01a21b3d-1c8d-7841-b5e7-8f298de20a1e	waiting	waiting	kb_waiting	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	queued	{}	\N	\N	2026-11-27 04:21:59.56527+00
01a21b3d-1c9b-7893-aae2-e17c7d6b7a89	cloud	cloud	kb_cloud	\N	postgres	company/m	4	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	0.25	auto	auto	{}	\N	\N	2026-11-27 04:21:59.579155+00
01a21b3d-1ca7-745a-a775-a9a13e6e41ce	moving	moving	kb_moving	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	company/next	4	2026-11-27 04:21:59.591+00
01a21b3d-1cb5-7c97-8952-4baaf98b9148	index hnsw	index_hnsw	kb_index_hnsw	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	hnsw	auto	{}	\N	\N	2026-11-27 04:21:59.605531+00
01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4	index ivfflat	index_ivfflat	kb_index_ivfflat	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	ivfflat	auto	{}	\N	\N	2026-11-27 04:21:59.605531+00
01a21b3d-1cc8-79b2-a120-a1e993524620	index none	index_none	kb_index_none	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	none	auto	{}	\N	\N	2026-11-27 04:21:59.605531+00
01a21b3d-1cd2-7f06-8689-8699737ba0aa	wide	wide	kb_wide	\N	postgres	fake/test	2500	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.634626+00
01a21b3d-1cdc-7712-b4e3-1088c646d0b3	off	off	kb_off	\N	postgres	local/all-minilm-l6-v2	384	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	off	{int8}	\N	\N	2026-11-27 04:21:59.644006+00
01a21b3d-1cf2-7a93-b8c9-9a5d679eddce	cut text	cut_text	kb_cut_text	\N	postgres	local/all-minilm-l6-v2	384	60	8	token	text	pg_catalog.english	ts_rank	1.2	0.75	2	1.5	\N	auto	auto	{int8}	\N	\N	2026-11-27 04:21:59.666336+00
01a21b3d-1cfc-73a9-a567-39f243372976	cut markdown	cut_markdown	kb_cut_markdown	\N	postgres	local/all-minilm-l6-v2	384	60	8	token	markdown	pg_catalog.english	ts_rank	1.2	0.75	2	1.5	\N	auto	auto	{int8}	\N	\N	2026-11-27 04:21:59.666336+00
01a21b3d-1d05-777c-9fad-a654e7ac23db	cut code	cut_code	kb_cut_code	\N	postgres	local/all-minilm-l6-v2	384	60	8	token	code	pg_catalog.english	ts_rank	1.2	0.75	2	1.5	\N	auto	auto	{int8}	\N	\N	2026-11-27 04:21:59.666336+00
01a21b3d-1d0f-710a-a2fc-1c47a1d74576	cut semantic	cut_semantic	kb_cut_semantic	\N	postgres	local/all-minilm-l6-v2	384	60	8	token	semantic	pg_catalog.english	ts_rank	1.2	0.75	2	1.5	\N	auto	auto	{int8}	\N	\N	2026-11-27 04:21:59.666336+00
01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd	cut none	cut_none	kb_cut_none	\N	postgres	local/all-minilm-l6-v2	384	60	8	token	none	pg_catalog.english	ts_rank	1.2	0.75	2	1.5	\N	auto	auto	{int8}	\N	\N	2026-11-27 04:21:59.666336+00
01a21b3d-1d72-76e9-9946-9171d92da82e	languages	languages	kb_languages	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.793733+00
01a21b3d-1d82-7f58-8475-21e376d1de8a	web	web	kb_web	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.810607+00
01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6	files	files	kb_files	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.82367+00
01a21b3d-1da9-7b0e-aa9b-b358b856f9d6	final	draft	kb_draft	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	\N	auto	auto	{}	\N	\N	2026-11-27 04:21:59.849454+00
\.
COPY kb_rag.missed_write (knowledge_base_id, source_id) FROM stdin;
\.
COPY kb_rag.prompt (id, version, content, owner, created_at) FROM stdin;
rewrite	1	Expand abbreviations.	postgres	2026-11-27 04:21:59.860843+00
\.
COPY kb_rag.provider (name, builtin, kind, base_url, api_key, headers, timeout, batch_items, batch_tokens, batch_bytes, price_per_million, owner) FROM stdin;
company	f	openai	http://127.0.0.1:9/v1	\N	{"x-team": "search"}	00:00:05	16	\N	\N	0.5	postgres
\.
COPY kb_rag.provider_grant (provider, role) FROM stdin;
company	public
\.
COPY kb_rag.usage (knowledge_base_id, knowledge_base, model, at, calls, items, tokens, errors, cost, output_tokens) FROM stdin;
01a21b3d-1c9b-7893-aae2-e17c7d6b7a89	cloud	company/m	2026-11-22 12:00:00+00	3	30	300	1	0.5	\N
\.
COPY kb_rag.web_page (id, source_id, url, depth, etag, last_modified, status, error, document_id, crawl, links) FROM stdin;
\.
COPY kb_rag.web_source (source_id, knowledge_base_id, agent_id, location, title, content_type, scrape_method, crawl_depth, max_pages, exclude_patterns, metadata, requested_by, auto_sync, sync_interval, crawl, scope, created_at) FROM stdin;
01a21b3d-1d8d-758d-b66e-54cc15ebe86b	01a21b3d-1d82-7f58-8475-21e376d1de8a	\N	https://example.com/docs/	Docs	docs	basic	2	50	{/docs/old/*}	{"team": "a"}	postgres	t	06:00:00	0	\N	2026-11-27 04:21:59.820835+00
\.
COPY kb_shop.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1c80-78a3-a003-ce9a0a3e43c3	01a21b3d-1c7f-7ae5-b76c-670f53c2f92c	1	6	'boil':3 'kettl':1A 'litr':5 'minut':10 'two':9 'water':7	pg_catalog.english	0	0	41	\N	\N	table	\N	It boils a litre of water in two minutes.	{"key": {"id": 1}, "title": "Kettle", "topic": "kitchen", "chunkIndex": 0}	\\x2c685ba5a644767aeacb3710c6bfc06f
01a21b3d-1c80-78d4-9a26-dc20da230fc5	01a21b3d-1c7f-7dca-969f-16cf6aec85f6	2	4	'hour':6 'lamp':1A 'nine':5 'shine':3	pg_catalog.english	0	0	25	\N	\N	table	\N	It shines for nine hours.	{"key": {"id": 2}, "title": "Lamp", "topic": "light", "chunkIndex": 0}	\\xe7532a1765209dc9b84de5c6ab541828
01a21b3d-1c86-7d8d-b788-0fb0d837c0e7	01a21b3d-1c86-77f7-a9e5-40230f7fe68d	3	2	'brass':4 'hing':2	pg_catalog.english	0	0	17	\N	\N	table	\N	A hinge of brass.	{"key": {"id": 1}, "chunkIndex": 0}	\\x5eb81e278716c52b3650dd3f8ba2a08a
\.
COPY kb_shop.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1c7f-7ae5-b76c-670f53c2f92c	01a21b3d-1c7a-7a24-9fda-633d5166e810	table	1	Kettle	It boils a litre of water in two minutes.	\N	\N	\N	\N	{"key": {"id": 1}, "topic": "kitchen"}	\\xd25024c032dcb73886cc6f59e8fd887bd2854de0156545acbc1ea90c12099402	\N	\N	indexed	\N	f	2026-11-27 04:21:59.544641+00	2026-11-27 04:21:59.544641+00	2026-11-27 04:21:59.544641+00
01a21b3d-1c7f-7dca-969f-16cf6aec85f6	01a21b3d-1c7a-7a24-9fda-633d5166e810	table	2	Lamp	It shines for nine hours.	\N	\N	\N	\N	{"key": {"id": 2}, "topic": "light"}	\\xe85638b1bca9969563d6605dde864a38fc25f41b60a3fe77d339f404fc70032f	\N	\N	indexed	\N	f	2026-11-27 04:21:59.544641+00	2026-11-27 04:21:59.544641+00	2026-11-27 04:21:59.544641+00
01a21b3d-1c86-77f7-a9e5-40230f7fe68d	01a21b3d-1c83-74a3-b662-ef8bbc487395	table	1	\N	A hinge of brass.	\N	\N	\N	\N	{"key": {"id": 1}}	\\x58b363bbe8c52f65c85b36f15991a6aaf1566cb28b407b5a47af419c8b253db4	\N	\N	indexed	\N	f	2026-11-27 04:21:59.554343+00	2026-11-27 04:21:59.554343+00	2026-11-27 04:21:59.554343+00
\.
COPY kb_shop.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1c80-78a3-a003-ce9a0a3e43c3	[-0.36514837,-0.36514837,0,-0.5477225,-0.36514837,0,0,-0.5477225]
01a21b3d-1c80-78d4-9a26-dc20da230fc5	[-0.18257418,0,0,-0.18257418,0.18257418,0.18257418,-0.18257418,-0.9128709]
01a21b3d-1c86-7d8d-b788-0fb0d837c0e7	[-0.35355338,0,0.70710677,-0.35355338,-0.35355338,0,0.35355338,0]
\.
COPY kb_shop.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_shop.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	2	10	{"pg_catalog.english": 2}	1	2	0	1	\\x000205020206020404626f696c010301000204686f75720103010102056b6574746c010401001101046c616d70010401011101046c6974720103010002056d696e75740103010002046e696e650103010102057368696e6501030101020374776f01030100020577617465720103010002
2	0	1	1	2	{"pg_catalog.english": 1}	3	3	0	1	\\x00010301060205627261737301030100020468696e670103010002
\.
COPY kb_shop.setting (name, value) FROM stdin;
id	01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2
name	shop
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
attached_tables	[{"uses": ["content", "title", "key", "metadata"], "names": ["body", "headline", "id", "topic"], "labels": ["body", "headline", "id", "topic"], "location": "public.articles", "source_id": "01a21b3d-1c7a-7a24-9fda-633d5166e810", "row_secured": false, "source_type": "table", "row_security": "refuse"}, {"uses": ["content", "key"], "names": ["body", "id"], "labels": ["body", "id"], "location": "public.parts", "source_id": "01a21b3d-1c83-74a3-b662-ef8bbc487395", "row_secured": false, "source_type": "table", "row_security": "ignore"}]
\.
COPY kb_shop.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
01a21b3d-1c7a-7a24-9fda-633d5166e810	table	public.articles	\N	{"key": ["id"], "title": "headline", "content": "body", "metadata": ["topic"], "source_type": "table"}	f	\N	2026-11-27 04:21:59.544641+00	indexed	\N	2026-11-27 04:21:59.544641+00	\N
01a21b3d-1c83-74a3-b662-ef8bbc487395	table	public.parts	\N	{"key": ["id"], "title": null, "content": "body", "metadata": [], "source_type": "table"}	f	\N	2026-11-27 04:21:59.554343+00	indexed	\N	2026-11-27 04:21:59.554343+00	\N
\.
COPY kb_waiting.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1c98-7049-b44e-6ab96453394b	01a21b3d-1c97-71ce-89b1-e587ef216ce5	1	4	'embed':5 'later':6 'pend':1A 'wait':3	pg_catalog.english	0	0	29	\N	\N	document	\N	What waits is embedded later.	{"title": "Pending", "chunkIndex": 0}	\\x2c92fb47a851c87a753792e3e8f24095
\.
COPY kb_waiting.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1c97-71ce-89b1-e587ef216ce5	\N	document	\N	Pending	What waits is embedded later.	\N	\N	\N	\N	{}	\\x50f495f240b719101c6d1be6b067f289a21b0658a6108591b9d4471228123b00	\N	\N	pending	\N	f	2026-11-27 04:21:59.574915+00	2026-11-27 04:21:59.574915+00	\N
\.
COPY kb_waiting.embedding (chunk_id, embedding) FROM stdin;
\.
COPY kb_waiting.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_waiting.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	4	{"pg_catalog.english": 1}	1	1	0	1	\\x00010301020405656d6265640103010002056c6174657201030100020470656e6401040100110104776169740103010002
\.
COPY kb_waiting.setting (name, value) FROM stdin;
id	01a21b3d-1c8d-7841-b5e7-8f298de20a1e
name	waiting
embed	queued
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_waiting.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY kb_web.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
\.
COPY kb_web.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
\.
COPY kb_web.embedding (chunk_id, embedding) FROM stdin;
\.
COPY kb_web.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_web.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
\.
COPY kb_web.setting (name, value) FROM stdin;
id	01a21b3d-1d82-7f58-8475-21e376d1de8a
name	web
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	8
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_web.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
01a21b3d-1d8d-758d-b66e-54cc15ebe86b	url	https://example.com/docs/	Docs	{"agent_id": null, "max_pages": 50, "crawl_depth": 2, "content_type": "docs", "scrape_method": "basic", "exclude_patterns": ["/docs/old/*"]}	t	06:00:00	\N	pending	\N	2026-11-27 04:21:59.820835+00	\N
\.
COPY kb_wide.chunk (id, document_id, keyword_number, length, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a21b3d-1ce6-71f7-8042-c4bf8b251da5	01a21b3d-1ce5-7439-9cb2-a640fe73aeae	1	2	'river':3 'wide':2	pg_catalog.english	0	0	13	\N	\N	document	\N	A wide river.	{"chunkIndex": 0}	\\x6a95a13e15f06ec8e308a978a15f5d6c
\.
COPY kb_wide.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, file_hash, file_bytes, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a21b3d-1ce5-7439-9cb2-a640fe73aeae	\N	document	\N	\N	A wide river.	\N	\N	\N	\N	{}	\\x6f34b9125ff1663b6b4e705b467edf64ed87a24ca343ec524682cb92905a75fe	\N	\N	indexed	\N	f	2026-11-27 04:21:59.65306+00	2026-11-27 04:21:59.65306+00	2026-11-27 04:21:59.65306+00
\.
COPY kb_wide.embedding (chunk_id, embedding) FROM stdin;
01a21b3d-1ce6-71f7-8042-c4bf8b251da5	[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-0.28857422,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
\.
COPY kb_wide.keyword_run (segment, lexeme, ordinal, data) FROM stdin;
\.
COPY kb_wide.keyword_segment (id, tier, sign, chunks, length, configs, first, last, runs, version, data) FROM stdin;
1	0	1	1	2	{"pg_catalog.english": 1}	1	1	0	1	\\x000103010202057269766572010301000204776964650103010002
\.
COPY kb_wide.setting (name, value) FROM stdin;
id	01a21b3d-1cd2-7f06-8689-8699737ba0aa
name	wide
embed	auto
model	fake/test
bm25_b	0.75
ranker	bm25
bm25_k1	1.2
chunk_size	1000
chunk_unit	char
dimensions	2500
description	\N
text_config	pg_catalog.english
index_method	auto
title_weight	2
chunk_overlap	200
chunk_strategy	auto
heading_weight	1.5
model_variants	[]
match_threshold	\N
\.
COPY kb_wide.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message, created_at, indexed_at) FROM stdin;
\.
COPY public.articles (id, headline, body, topic) FROM stdin;
1	Kettle	It boils a litre of water in two minutes.	kitchen
2	Lamp	It shines for nine hours.	light
\.
COPY public.measured (doc, n, body, v) FROM stdin;
tea	0	Tea needs four minutes.	{1,0,0}
tea	1	Milk comes later.	{0,1,0}
\.
COPY public.parts_low (id, body) FROM stdin;
1	A hinge of brass.
\.
SELECT pg_catalog.setval('kb_cloud.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_cloud.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_code.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_code.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_markdown.chunk_keyword_number_seq', 3, true);
SELECT pg_catalog.setval('kb_cut_markdown.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_none.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_none.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_semantic.chunk_keyword_number_seq', 3, true);
SELECT pg_catalog.setval('kb_cut_semantic.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_cut_text.chunk_keyword_number_seq', 4, true);
SELECT pg_catalog.setval('kb_cut_text.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_draft.chunk_keyword_number_seq', 1, false);
SELECT pg_catalog.setval('kb_draft.keyword_segment_id_seq', 1, false);
SELECT pg_catalog.setval('kb_drinks.chunk_keyword_number_seq', 2, true);
SELECT pg_catalog.setval('kb_drinks.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_files.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_files.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_handbook.chunk_keyword_number_seq', 2, true);
SELECT pg_catalog.setval('kb_handbook.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_index_hnsw.chunk_keyword_number_seq', 20, true);
SELECT pg_catalog.setval('kb_index_hnsw.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_index_ivfflat.chunk_keyword_number_seq', 20, true);
SELECT pg_catalog.setval('kb_index_ivfflat.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_index_none.chunk_keyword_number_seq', 20, true);
SELECT pg_catalog.setval('kb_index_none.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_languages.chunk_keyword_number_seq', 4, true);
SELECT pg_catalog.setval('kb_languages.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_moving.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_moving.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_off.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_off.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_old_notes.chunk_keyword_number_seq', 10, true);
SELECT pg_catalog.setval('kb_old_notes.keyword_segment_id_seq', 5, true);
SELECT pg_catalog.setval('kb_shop.chunk_keyword_number_seq', 3, true);
SELECT pg_catalog.setval('kb_shop.keyword_segment_id_seq', 2, true);
SELECT pg_catalog.setval('kb_waiting.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_waiting.keyword_segment_id_seq', 1, true);
SELECT pg_catalog.setval('kb_web.chunk_keyword_number_seq', 1, false);
SELECT pg_catalog.setval('kb_web.keyword_segment_id_seq', 1, false);
SELECT pg_catalog.setval('kb_wide.chunk_keyword_number_seq', 1, true);
SELECT pg_catalog.setval('kb_wide.keyword_segment_id_seq', 1, true);
ALTER TABLE ONLY kb_cloud.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cloud.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cloud.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_cloud.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_cloud.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cloud.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_cloud.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_code.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_code.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_code.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_cut_code.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_cut_code.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_code.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_cut_code.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_markdown.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_markdown.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_markdown.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_cut_markdown.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_cut_markdown.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_markdown.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_cut_markdown.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_none.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_none.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_none.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_cut_none.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_cut_none.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_none.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_cut_none.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_semantic.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_semantic.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_semantic.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_cut_semantic.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_cut_semantic.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_semantic.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_cut_semantic.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_text.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_text.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_text.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_cut_text.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_cut_text.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_cut_text.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_cut_text.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_draft.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_draft.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_draft.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_draft.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_draft.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_draft.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_draft.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_drinks.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_drinks.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_drinks.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_drinks.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_drinks.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_drinks.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_drinks.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_files.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_files.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_files.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_files.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_files.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_files.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_files.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_handbook.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_handbook.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_handbook.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_handbook.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_handbook.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_handbook.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_handbook.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_hnsw.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_hnsw.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_hnsw.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_index_hnsw.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_index_hnsw.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_hnsw.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_index_hnsw.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_ivfflat.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_ivfflat.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_ivfflat.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_index_ivfflat.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_index_ivfflat.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_ivfflat.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_index_ivfflat.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_none.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_none.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_none.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_index_none.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_index_none.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_index_none.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_index_none.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_languages.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_languages.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_languages.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_languages.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_languages.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_languages.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_languages.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_moving.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_moving.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_moving.embedding_4
    ADD CONSTRAINT embedding_4_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_moving.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_moving.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_moving.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_moving.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_moving.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_off.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_off.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_off.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_off.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_off.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_off.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_off.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_old_notes.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_old_notes.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_old_notes.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_old_notes.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_old_notes.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_old_notes.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_old_notes.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_shop.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_shop.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_shop.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_shop.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_shop.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_shop.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_shop.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_waiting.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_waiting.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_waiting.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_waiting.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_waiting.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_waiting.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_waiting.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_web.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_web.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_web.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_web.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_web.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_web.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_web.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_wide.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_wide.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_wide.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);
ALTER TABLE ONLY kb_wide.keyword_run
    ADD CONSTRAINT keyword_run_pkey PRIMARY KEY (segment, lexeme, ordinal);
ALTER TABLE ONLY kb_wide.keyword_segment
    ADD CONSTRAINT keyword_segment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kb_wide.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE ONLY kb_wide.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.articles
    ADD CONSTRAINT articles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.parts
    ADD CONSTRAINT parts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.parts_low
    ADD CONSTRAINT parts_low_pkey PRIMARY KEY (id);
CREATE INDEX chunk_document_id ON kb_cloud.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_cloud.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_cloud.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_cloud.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_cloud.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_cut_code.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_cut_code.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_cut_code.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_cut_code.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_cut_code.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_cut_markdown.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_cut_markdown.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_cut_markdown.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_cut_markdown.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_cut_markdown.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_cut_none.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_cut_none.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_cut_none.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_cut_none.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_cut_none.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_cut_semantic.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_cut_semantic.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_cut_semantic.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_cut_semantic.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_cut_semantic.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_cut_text.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_cut_text.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_cut_text.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_cut_text.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_cut_text.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_draft.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_draft.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_draft.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_draft.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_draft.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_drinks.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_drinks.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_drinks.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_drinks.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_drinks.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_files.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_files.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_files.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_files.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_files.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_handbook.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_handbook.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_handbook.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_handbook.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_handbook.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_index_hnsw.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_index_hnsw.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_index_hnsw.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_index_hnsw.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_index_hnsw.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_index_ivfflat.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_index_ivfflat.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_index_ivfflat.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_index_ivfflat.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX chunk_document_id ON kb_index_none.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_index_none.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_index_none.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_index_none.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX chunk_document_id ON kb_languages.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_languages.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_languages.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_languages.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_languages.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_moving.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_moving.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_moving.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_moving.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_4_hnsw ON kb_moving.embedding_4 USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX embedding_hnsw ON kb_moving.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_off.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_off.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_off.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_off.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_off.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_old_notes.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_old_notes.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_old_notes.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_old_notes.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_old_notes.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_shop.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_shop.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_shop.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_shop.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_shop.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_waiting.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_waiting.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_waiting.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_waiting.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_waiting.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_web.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_web.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_web.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_web.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_web.embedding USING hnsw (embedding public.vector_cosine_ops);
CREATE INDEX chunk_document_id ON kb_wide.chunk USING btree (document_id);
CREATE UNIQUE INDEX chunk_keyword_number ON kb_wide.chunk USING btree (keyword_number);
CREATE INDEX chunk_metadata ON kb_wide.chunk USING gin (metadata jsonb_path_ops);
CREATE UNIQUE INDEX document_source_key ON kb_wide.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);
CREATE INDEX embedding_hnsw ON kb_wide.embedding USING hnsw (embedding public.halfvec_cosine_ops);
ALTER INDEX public.parts_pkey ATTACH PARTITION public.parts_low_pkey;
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_cloud.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_cloud.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_cloud.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_cloud.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_cloud.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_cloud.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_cloud.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_count_update ON kb_cloud.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_cloud.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_insert ON kb_cloud.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_cloud.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_number ON kb_cloud.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_cloud.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_cloud.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_cloud.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1c9b-7893-aae2-e17c7d6b7a89');
COMMENT ON TRIGGER kb_rag_update ON kb_cloud.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_cut_code.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_cut_code.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_cut_code.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_cut_code.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_cut_code.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_cut_code.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_cut_code.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_count_update ON kb_cut_code.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_cut_code.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_insert ON kb_cut_code.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_cut_code.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_number ON kb_cut_code.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_cut_code.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_cut_code.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_cut_code.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1d05-777c-9fad-a654e7ac23db');
COMMENT ON TRIGGER kb_rag_update ON kb_cut_code.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_cut_markdown.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_cut_markdown.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_cut_markdown.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_cut_markdown.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_cut_markdown.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_cut_markdown.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_cut_markdown.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_count_update ON kb_cut_markdown.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_cut_markdown.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_insert ON kb_cut_markdown.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_cut_markdown.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_number ON kb_cut_markdown.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_cut_markdown.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_cut_markdown.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_cut_markdown.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cfc-73a9-a567-39f243372976');
COMMENT ON TRIGGER kb_rag_update ON kb_cut_markdown.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_cut_none.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_cut_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_cut_none.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_cut_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_cut_none.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_cut_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_cut_none.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_count_update ON kb_cut_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_cut_none.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_insert ON kb_cut_none.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_cut_none.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_number ON kb_cut_none.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_cut_none.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_cut_none.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_cut_none.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1d18-7702-bdaa-2bb7eeb9dbfd');
COMMENT ON TRIGGER kb_rag_update ON kb_cut_none.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_cut_semantic.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_cut_semantic.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_cut_semantic.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_cut_semantic.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_cut_semantic.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_cut_semantic.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_cut_semantic.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_count_update ON kb_cut_semantic.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_cut_semantic.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_insert ON kb_cut_semantic.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_cut_semantic.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_number ON kb_cut_semantic.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_cut_semantic.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_cut_semantic.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_cut_semantic.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1d0f-710a-a2fc-1c47a1d74576');
COMMENT ON TRIGGER kb_rag_update ON kb_cut_semantic.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_cut_text.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_cut_text.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_cut_text.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_cut_text.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_cut_text.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_cut_text.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_cut_text.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_count_update ON kb_cut_text.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_cut_text.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_insert ON kb_cut_text.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_cut_text.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_number ON kb_cut_text.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_cut_text.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_cut_text.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_cut_text.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cf2-7a93-b8c9-9a5d679eddce');
COMMENT ON TRIGGER kb_rag_update ON kb_cut_text.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_draft.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_draft.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_draft.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_draft.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_draft.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_draft.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_draft.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_count_update ON kb_draft.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_draft.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_insert ON kb_draft.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_draft.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_number ON kb_draft.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_draft.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_draft.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_draft.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1da9-7b0e-aa9b-b358b856f9d6');
COMMENT ON TRIGGER kb_rag_update ON kb_draft.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_drinks.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_drinks.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_drinks.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_drinks.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_drinks.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_drinks.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_drinks.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_count_update ON kb_drinks.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_drinks.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_insert ON kb_drinks.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_drinks.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_number ON kb_drinks.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_drinks.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_drinks.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_drinks.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1c61-769b-a37b-c60b310729dc');
COMMENT ON TRIGGER kb_rag_update ON kb_drinks.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_files.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_files.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_files.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_files.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_files.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_files.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_files.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_count_update ON kb_files.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_files.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_insert ON kb_files.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_files.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_number ON kb_files.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_files.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_files.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_files.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1d8f-7e87-bc6d-eb1ec5a9f3b6');
COMMENT ON TRIGGER kb_rag_update ON kb_files.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_handbook.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_handbook.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_handbook.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_handbook.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_handbook.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_handbook.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_handbook.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_count_update ON kb_handbook.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_handbook.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_insert ON kb_handbook.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_handbook.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_number ON kb_handbook.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_handbook.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_handbook.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_handbook.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1c2e-77c2-b5e2-ed2d5e15595c');
COMMENT ON TRIGGER kb_rag_update ON kb_handbook.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_index_hnsw.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_index_hnsw.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_index_hnsw.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_index_hnsw.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_index_hnsw.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_index_hnsw.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_index_hnsw.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_count_update ON kb_index_hnsw.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_index_hnsw.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_insert ON kb_index_hnsw.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_index_hnsw.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_number ON kb_index_hnsw.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_index_hnsw.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_index_hnsw.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_index_hnsw.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cb5-7c97-8952-4baaf98b9148');
COMMENT ON TRIGGER kb_rag_update ON kb_index_hnsw.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_index_ivfflat.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_index_ivfflat.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_index_ivfflat.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_index_ivfflat.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_index_ivfflat.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_index_ivfflat.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_index_ivfflat.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_count_update ON kb_index_ivfflat.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_index_ivfflat.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_insert ON kb_index_ivfflat.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_index_ivfflat.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_number ON kb_index_ivfflat.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_index_ivfflat.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_index_ivfflat.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_index_ivfflat.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cbf-7b1e-b9e2-ce49accee7e4');
COMMENT ON TRIGGER kb_rag_update ON kb_index_ivfflat.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_index_none.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_index_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_index_none.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_index_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_index_none.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_index_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_index_none.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_count_update ON kb_index_none.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_index_none.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_insert ON kb_index_none.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_index_none.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_number ON kb_index_none.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_index_none.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_index_none.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_index_none.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cc8-79b2-a120-a1e993524620');
COMMENT ON TRIGGER kb_rag_update ON kb_index_none.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_languages.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_languages.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_languages.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_languages.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_languages.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_languages.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_languages.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_count_update ON kb_languages.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_languages.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_insert ON kb_languages.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_languages.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_number ON kb_languages.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_languages.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_languages.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_languages.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1d72-76e9-9946-9171d92da82e');
COMMENT ON TRIGGER kb_rag_update ON kb_languages.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_moving.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_moving.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_moving.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_moving.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_moving.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_moving.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_moving.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_count_update ON kb_moving.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_moving.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_insert ON kb_moving.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_moving.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_number ON kb_moving.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_moving.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_moving.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_moving.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1ca7-745a-a775-a9a13e6e41ce');
COMMENT ON TRIGGER kb_rag_update ON kb_moving.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_off.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_off.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_off.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_off.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_off.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_off.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_off.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_count_update ON kb_off.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_off.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_insert ON kb_off.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_off.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_number ON kb_off.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_off.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_off.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_off.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cdc-7712-b4e3-1088c646d0b3');
COMMENT ON TRIGGER kb_rag_update ON kb_off.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_old_notes.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_old_notes.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_old_notes.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_old_notes.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_old_notes.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_old_notes.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_old_notes.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_count_update ON kb_old_notes.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_old_notes.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_insert ON kb_old_notes.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_old_notes.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_number ON kb_old_notes.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_old_notes.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_old_notes.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_old_notes.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1c4f-7a0c-b668-e09c882fa003');
COMMENT ON TRIGGER kb_rag_update ON kb_old_notes.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_shop.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_shop.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_shop.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_shop.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_shop.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_shop.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_shop.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_count_update ON kb_shop.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_shop.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_insert ON kb_shop.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_shop.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_number ON kb_shop.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_shop.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_shop.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_shop.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2');
COMMENT ON TRIGGER kb_rag_update ON kb_shop.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_waiting.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_waiting.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_waiting.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_waiting.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_waiting.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_waiting.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_waiting.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_count_update ON kb_waiting.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_waiting.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_insert ON kb_waiting.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_waiting.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_number ON kb_waiting.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_waiting.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_waiting.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_waiting.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1c8d-7841-b5e7-8f298de20a1e');
COMMENT ON TRIGGER kb_rag_update ON kb_waiting.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_web.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_web.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_web.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_web.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_web.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_web.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_web.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_count_update ON kb_web.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_web.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_insert ON kb_web.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_web.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_number ON kb_web.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_web.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_web.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_web.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1d82-7f58-8475-21e376d1de8a');
COMMENT ON TRIGGER kb_rag_update ON kb_web.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_wide.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_count_delete ON kb_wide.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_wide.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_count_insert ON kb_wide.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_wide.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_count_truncate ON kb_wide.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_wide.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_count_update ON kb_wide.chunk IS 'keeps the keyword index';
CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_wide.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_insert ON kb_wide.document IS 'chunks and embeds inserted documents';
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON kb_wide.chunk FOR EACH ROW WHEN (((old.keyword_number = new.keyword_number) AND ((old.tsv IS DISTINCT FROM new.tsv) OR (old.length IS DISTINCT FROM new.length) OR (old.text_config IS DISTINCT FROM new.text_config)))) EXECUTE FUNCTION kb_rag.chunk_numbered('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_number ON kb_wide.chunk IS 'gives chunks whose lexemes change a new number';
CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_wide.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
COMMENT ON TRIGGER kb_rag_prepare ON kb_wide.document IS 'fills the columns that kb_rag keeps';
CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_wide.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a21b3d-1cd2-7f06-8689-8699737ba0aa');
COMMENT ON TRIGGER kb_rag_update ON kb_wide.document IS 'chunks and embeds what changed';
CREATE TRIGGER kb_rag_attached_delete_5166e810 AFTER DELETE ON public.articles REFERENCING OLD TABLE AS old_row FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c7a-7a24-9fda-633d5166e810');
COMMENT ON TRIGGER kb_rag_attached_delete_5166e810 ON public.articles IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_delete_bc487395 AFTER DELETE ON public.parts FOR EACH ROW EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c83-74a3-b662-ef8bbc487395');
COMMENT ON TRIGGER kb_rag_attached_delete_bc487395 ON public.parts IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_insert_5166e810 AFTER INSERT ON public.articles REFERENCING NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c7a-7a24-9fda-633d5166e810');
COMMENT ON TRIGGER kb_rag_attached_insert_5166e810 ON public.articles IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_insert_bc487395 AFTER INSERT ON public.parts FOR EACH ROW EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c83-74a3-b662-ef8bbc487395');
COMMENT ON TRIGGER kb_rag_attached_insert_bc487395 ON public.parts IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_truncate_5166e810 AFTER TRUNCATE ON public.articles FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c7a-7a24-9fda-633d5166e810');
COMMENT ON TRIGGER kb_rag_attached_truncate_5166e810 ON public.articles IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_truncate_bc487395 AFTER TRUNCATE ON public.parts FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c83-74a3-b662-ef8bbc487395');
COMMENT ON TRIGGER kb_rag_attached_truncate_bc487395 ON public.parts IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_truncate_bc487395 AFTER TRUNCATE ON public.parts_low FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c83-74a3-b662-ef8bbc487395');
COMMENT ON TRIGGER kb_rag_attached_truncate_bc487395 ON public.parts_low IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_update_5166e810 AFTER UPDATE ON public.articles REFERENCING OLD TABLE AS old_row NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c7a-7a24-9fda-633d5166e810');
COMMENT ON TRIGGER kb_rag_attached_update_5166e810 ON public.articles IS 'keeps the documents of this table in schema kb_shop in sync';
CREATE TRIGGER kb_rag_attached_update_bc487395 AFTER UPDATE ON public.parts FOR EACH ROW EXECUTE FUNCTION kb_rag.attached_changed('01a21b3d-1c6f-7d47-8c64-54bb8efd3ce2', '01a21b3d-1c83-74a3-b662-ef8bbc487395');
COMMENT ON TRIGGER kb_rag_attached_update_bc487395 ON public.parts IS 'keeps the documents of this table in schema kb_shop in sync';
ALTER TABLE ONLY kb_cloud.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_cloud.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_cloud.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_cloud.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cloud.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_cloud.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_code.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_cut_code.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_code.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_cut_code.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_code.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_cut_code.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_markdown.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_cut_markdown.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_markdown.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_cut_markdown.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_markdown.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_cut_markdown.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_none.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_cut_none.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_none.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_cut_none.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_none.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_cut_none.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_semantic.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_cut_semantic.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_semantic.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_cut_semantic.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_semantic.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_cut_semantic.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_text.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_cut_text.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_text.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_cut_text.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_cut_text.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_cut_text.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_draft.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_draft.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_draft.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_draft.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_draft.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_draft.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_drinks.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_drinks.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_drinks.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_drinks.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_drinks.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_drinks.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_files.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_files.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_files.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_files.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_files.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_files.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_handbook.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_handbook.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_handbook.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_handbook.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_handbook.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_handbook.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_hnsw.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_index_hnsw.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_hnsw.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_index_hnsw.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_hnsw.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_index_hnsw.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_ivfflat.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_index_ivfflat.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_ivfflat.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_index_ivfflat.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_ivfflat.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_index_ivfflat.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_none.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_index_none.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_none.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_index_none.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_index_none.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_index_none.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_languages.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_languages.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_languages.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_languages.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_languages.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_languages.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_moving.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_moving.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_moving.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_moving.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_moving.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_moving.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_moving.embedding_4
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_moving.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_off.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_off.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_off.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_off.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_off.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_off.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_old_notes.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_old_notes.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_old_notes.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_old_notes.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_old_notes.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_old_notes.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_shop.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_shop.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_shop.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_shop.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_shop.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_shop.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_waiting.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_waiting.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_waiting.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_waiting.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_waiting.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_waiting.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_web.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_web.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_web.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_web.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_web.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_web.chunk(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_wide.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_wide.document(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY kb_wide.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_wide.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY kb_wide.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_wide.chunk(id) ON DELETE CASCADE;
ALTER TABLE kb_files.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY everybody ON kb_files.document USING (true);
GRANT USAGE ON SCHEMA kb_handbook TO PUBLIC;
GRANT SELECT ON TABLE kb_handbook.chunk TO PUBLIC;
GRANT SELECT ON TABLE kb_handbook.document TO PUBLIC;
GRANT SELECT ON TABLE kb_handbook.embedding TO PUBLIC;
GRANT SELECT ON TABLE kb_handbook.source TO PUBLIC;
