--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

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

--
-- Name: kb_drinks; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA kb_drinks;


--
-- Name: SCHEMA kb_drinks; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA kb_drinks IS 'knowledge base drinks';


--
-- Name: kb_handbook; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA kb_handbook;


--
-- Name: SCHEMA kb_handbook; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA kb_handbook IS 'knowledge base handbook';


--
-- Name: kb_old_notes; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA kb_old_notes;


--
-- Name: SCHEMA kb_old_notes; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA kb_old_notes IS 'knowledge base Old notes';


--
-- Name: vector; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;


--
-- Name: EXTENSION vector; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';


--
-- Name: kb_rag; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS kb_rag WITH SCHEMA public;


--
-- Name: EXTENSION kb_rag; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION kb_rag IS 'knowledge bases inside PostgreSQL: chunk, embed, index and search documents';


--
-- Name: kb_shop; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA kb_shop;


--
-- Name: SCHEMA kb_shop; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA kb_shop IS 'knowledge base shop';


--
-- Name: kb_waiting; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA kb_waiting;


--
-- Name: SCHEMA kb_waiting; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA kb_waiting IS 'knowledge base waiting';


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: chunk; Type: TABLE; Schema: kb_drinks; Owner: -
--

CREATE TABLE kb_drinks.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    words integer NOT NULL,
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


--
-- Name: TABLE chunk; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.chunk IS 'one passage per row; a changed passage is a new row';


--
-- Name: COLUMN chunk.id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.id IS 'time-ordered identifier';


--
-- Name: COLUMN chunk.document_id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.document_id IS 'the document it is a part of';


--
-- Name: COLUMN chunk.words; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.words IS 'how many words tsv counts: the length that BM25 divides by';


--
-- Name: COLUMN chunk.tsv; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';


--
-- Name: COLUMN chunk.text_config; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';


--
-- Name: COLUMN chunk.ordinal; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.ordinal IS 'position among the passages of the document, from 0';


--
-- Name: COLUMN chunk.start_char; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';


--
-- Name: COLUMN chunk.end_char; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.end_char IS 'offset after the last character';


--
-- Name: COLUMN chunk.page; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.page IS 'page of the source, where there are pages';


--
-- Name: COLUMN chunk.token_count; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';


--
-- Name: COLUMN chunk.source_type; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.source_type IS 'that of the document';


--
-- Name: COLUMN chunk.heading; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.heading IS 'Markdown headings in force, outermost first';


--
-- Name: COLUMN chunk.content; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.content IS 'the passage, as it stands in the document';


--
-- Name: COLUMN chunk.metadata; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language and heading added';


--
-- Name: COLUMN chunk.content_hash; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';


--
-- Name: corpus; Type: TABLE; Schema: kb_drinks; Owner: -
--

CREATE TABLE kb_drinks.corpus (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    text_config text NOT NULL,
    chunks bigint NOT NULL,
    words bigint NOT NULL,
    changes bigint NOT NULL
);


--
-- Name: TABLE corpus; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.corpus IS 'chunks and words of the base, by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged';


--
-- Name: COLUMN corpus.id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.corpus.id IS 'time-ordered identifier';


--
-- Name: COLUMN corpus.text_config; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.corpus.text_config IS 'that of the chunks';


--
-- Name: COLUMN corpus.chunks; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.corpus.chunks IS 'how many were added; negative for deleted ones';


--
-- Name: COLUMN corpus.words; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.corpus.words IS 'how many words they have';


--
-- Name: COLUMN corpus.changes; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.corpus.changes IS 'how many were added or deleted';


--
-- Name: document; Type: TABLE; Schema: kb_drinks; Owner: -
--

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
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text])))
);


--
-- Name: TABLE document; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in step';


--
-- Name: COLUMN document.id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.id IS 'time-ordered identifier';


--
-- Name: COLUMN document.source_id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.source_id IS 'the source it comes from; NULL for documents written directly';


--
-- Name: COLUMN document.source_type; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';


--
-- Name: COLUMN document.source_key; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';


--
-- Name: COLUMN document.title; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.title IS 'embedded and indexed with each passage';


--
-- Name: COLUMN document.content; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.content IS 'the text, stored exactly as given';


--
-- Name: COLUMN document.mime_type; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';


--
-- Name: COLUMN document.language; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.language IS 'of the text, as an ISO 639-1 code or an English name: chooses the text search configuration; also for filters';


--
-- Name: COLUMN document.abstract; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.abstract IS 'a summary in a sentence or two, yours to fill';


--
-- Name: COLUMN document.overview; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.overview IS 'a summary in a paragraph or two, yours to fill';


--
-- Name: COLUMN document.metadata; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.metadata IS 'a JSON object to filter by';


--
-- Name: COLUMN document.content_hash; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';


--
-- Name: COLUMN document.status; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.status IS 'pending, processing, indexed or failed; kept by a trigger';


--
-- Name: COLUMN document.error_message; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.error_message IS 'why it failed; kept by a trigger';


--
-- Name: COLUMN document.imported; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.imported IS 'whether kb_import gave its passages and vectors, which stay until title or content change; kept by a trigger';


--
-- Name: COLUMN document.created_at; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.created_at IS 'when it was inserted';


--
-- Name: COLUMN document.updated_at; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.updated_at IS 'when it was last written; kept by a trigger';


--
-- Name: COLUMN document.indexed_at; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.document.indexed_at IS 'when its chunks were last brought in step; kept by a trigger';


--
-- Name: embedding; Type: TABLE; Schema: kb_drinks; Owner: -
--

CREATE TABLE kb_drinks.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(3) NOT NULL
);
ALTER TABLE ONLY kb_drinks.embedding ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: TABLE embedding; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.embedding IS 'the vector of each chunk';


--
-- Name: COLUMN embedding.chunk_id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.embedding.chunk_id IS 'the chunk';


--
-- Name: COLUMN embedding.embedding; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.embedding.embedding IS 'of length 1';


--
-- Name: setting; Type: TABLE; Schema: kb_drinks; Owner: -
--

CREATE TABLE kb_drinks.setting (
    name text NOT NULL,
    value text
);


--
-- Name: TABLE setting; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';


--
-- Name: COLUMN setting.name; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.setting.name IS 'as in kb_list()';


--
-- Name: COLUMN setting.value; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.setting.value IS 'as text';


--
-- Name: source; Type: TABLE; Schema: kb_drinks; Owner: -
--

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
    error_message text
);


--
-- Name: TABLE source; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.source IS 'where documents come from: such as a URL or a directory';


--
-- Name: COLUMN source.id; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.id IS 'time-ordered identifier';


--
-- Name: COLUMN source.kind; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.kind IS 'what it is, such as url or directory';


--
-- Name: COLUMN source.location; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.location IS 'its URL or path';


--
-- Name: COLUMN source.title; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.title IS 'what to call it';


--
-- Name: COLUMN source.options; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.options IS 'how to read it';


--
-- Name: COLUMN source.auto_sync; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.auto_sync IS 'whether it is read again by itself';


--
-- Name: COLUMN source.sync_interval; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.sync_interval IS 'how often';


--
-- Name: COLUMN source.last_synced_at; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.last_synced_at IS 'when it was last read';


--
-- Name: COLUMN source.status; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.status IS 'pending, or what became of the last reading';


--
-- Name: COLUMN source.error_message; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.source.error_message IS 'why it failed';


--
-- Name: term; Type: TABLE; Schema: kb_drinks; Owner: -
--

CREATE TABLE kb_drinks.term (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL,
    of_chunks bigint NOT NULL,
    of_changes bigint NOT NULL
);


--
-- Name: TABLE term; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TABLE kb_drinks.term IS 'common lexemes of a large base: in how many chunks of how many each was when last counted; others are counted when asked for';


--
-- Name: COLUMN term.lexeme; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.term.lexeme IS 'as PostgreSQL spells it; the empty one only says when the others were counted';


--
-- Name: COLUMN term.chunks; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.term.chunks IS 'in how many chunks it was';


--
-- Name: COLUMN term.of_chunks; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.term.of_chunks IS 'among how many';


--
-- Name: COLUMN term.of_changes; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON COLUMN kb_drinks.term.of_changes IS 'how many had been added or deleted by then';


--
-- Name: chunk; Type: TABLE; Schema: kb_handbook; Owner: -
--

CREATE TABLE kb_handbook.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    words integer NOT NULL,
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


--
-- Name: TABLE chunk; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.chunk IS 'one passage per row; a changed passage is a new row';


--
-- Name: COLUMN chunk.id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.id IS 'time-ordered identifier';


--
-- Name: COLUMN chunk.document_id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.document_id IS 'the document it is a part of';


--
-- Name: COLUMN chunk.words; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.words IS 'how many words tsv counts: the length that BM25 divides by';


--
-- Name: COLUMN chunk.tsv; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';


--
-- Name: COLUMN chunk.text_config; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';


--
-- Name: COLUMN chunk.ordinal; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.ordinal IS 'position among the passages of the document, from 0';


--
-- Name: COLUMN chunk.start_char; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';


--
-- Name: COLUMN chunk.end_char; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.end_char IS 'offset after the last character';


--
-- Name: COLUMN chunk.page; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.page IS 'page of the source, where there are pages';


--
-- Name: COLUMN chunk.token_count; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';


--
-- Name: COLUMN chunk.source_type; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.source_type IS 'that of the document';


--
-- Name: COLUMN chunk.heading; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.heading IS 'Markdown headings in force, outermost first';


--
-- Name: COLUMN chunk.content; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.content IS 'the passage, as it stands in the document';


--
-- Name: COLUMN chunk.metadata; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language and heading added';


--
-- Name: COLUMN chunk.content_hash; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';


--
-- Name: corpus; Type: TABLE; Schema: kb_handbook; Owner: -
--

CREATE TABLE kb_handbook.corpus (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    text_config text NOT NULL,
    chunks bigint NOT NULL,
    words bigint NOT NULL,
    changes bigint NOT NULL
);


--
-- Name: TABLE corpus; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.corpus IS 'chunks and words of the base, by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged';


--
-- Name: COLUMN corpus.id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.corpus.id IS 'time-ordered identifier';


--
-- Name: COLUMN corpus.text_config; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.corpus.text_config IS 'that of the chunks';


--
-- Name: COLUMN corpus.chunks; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.corpus.chunks IS 'how many were added; negative for deleted ones';


--
-- Name: COLUMN corpus.words; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.corpus.words IS 'how many words they have';


--
-- Name: COLUMN corpus.changes; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.corpus.changes IS 'how many were added or deleted';


--
-- Name: document; Type: TABLE; Schema: kb_handbook; Owner: -
--

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
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text])))
);


--
-- Name: TABLE document; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in step';


--
-- Name: COLUMN document.id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.id IS 'time-ordered identifier';


--
-- Name: COLUMN document.source_id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.source_id IS 'the source it comes from; NULL for documents written directly';


--
-- Name: COLUMN document.source_type; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';


--
-- Name: COLUMN document.source_key; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';


--
-- Name: COLUMN document.title; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.title IS 'embedded and indexed with each passage';


--
-- Name: COLUMN document.content; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.content IS 'the text, stored exactly as given';


--
-- Name: COLUMN document.mime_type; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';


--
-- Name: COLUMN document.language; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.language IS 'of the text, as an ISO 639-1 code or an English name: chooses the text search configuration; also for filters';


--
-- Name: COLUMN document.abstract; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.abstract IS 'a summary in a sentence or two, yours to fill';


--
-- Name: COLUMN document.overview; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.overview IS 'a summary in a paragraph or two, yours to fill';


--
-- Name: COLUMN document.metadata; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.metadata IS 'a JSON object to filter by';


--
-- Name: COLUMN document.content_hash; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';


--
-- Name: COLUMN document.status; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.status IS 'pending, processing, indexed or failed; kept by a trigger';


--
-- Name: COLUMN document.error_message; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.error_message IS 'why it failed; kept by a trigger';


--
-- Name: COLUMN document.imported; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.imported IS 'whether kb_import gave its passages and vectors, which stay until title or content change; kept by a trigger';


--
-- Name: COLUMN document.created_at; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.created_at IS 'when it was inserted';


--
-- Name: COLUMN document.updated_at; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.updated_at IS 'when it was last written; kept by a trigger';


--
-- Name: COLUMN document.indexed_at; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.document.indexed_at IS 'when its chunks were last brought in step; kept by a trigger';


--
-- Name: embedding; Type: TABLE; Schema: kb_handbook; Owner: -
--

CREATE TABLE kb_handbook.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(384) NOT NULL
);
ALTER TABLE ONLY kb_handbook.embedding ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: TABLE embedding; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.embedding IS 'the vector of each chunk';


--
-- Name: COLUMN embedding.chunk_id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.embedding.chunk_id IS 'the chunk';


--
-- Name: COLUMN embedding.embedding; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.embedding.embedding IS 'of length 1';


--
-- Name: setting; Type: TABLE; Schema: kb_handbook; Owner: -
--

CREATE TABLE kb_handbook.setting (
    name text NOT NULL,
    value text
);


--
-- Name: TABLE setting; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';


--
-- Name: COLUMN setting.name; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.setting.name IS 'as in kb_list()';


--
-- Name: COLUMN setting.value; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.setting.value IS 'as text';


--
-- Name: source; Type: TABLE; Schema: kb_handbook; Owner: -
--

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
    error_message text
);


--
-- Name: TABLE source; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.source IS 'where documents come from: such as a URL or a directory';


--
-- Name: COLUMN source.id; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.id IS 'time-ordered identifier';


--
-- Name: COLUMN source.kind; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.kind IS 'what it is, such as url or directory';


--
-- Name: COLUMN source.location; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.location IS 'its URL or path';


--
-- Name: COLUMN source.title; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.title IS 'what to call it';


--
-- Name: COLUMN source.options; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.options IS 'how to read it';


--
-- Name: COLUMN source.auto_sync; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.auto_sync IS 'whether it is read again by itself';


--
-- Name: COLUMN source.sync_interval; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.sync_interval IS 'how often';


--
-- Name: COLUMN source.last_synced_at; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.last_synced_at IS 'when it was last read';


--
-- Name: COLUMN source.status; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.status IS 'pending, or what became of the last reading';


--
-- Name: COLUMN source.error_message; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.source.error_message IS 'why it failed';


--
-- Name: term; Type: TABLE; Schema: kb_handbook; Owner: -
--

CREATE TABLE kb_handbook.term (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL,
    of_chunks bigint NOT NULL,
    of_changes bigint NOT NULL
);


--
-- Name: TABLE term; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TABLE kb_handbook.term IS 'common lexemes of a large base: in how many chunks of how many each was when last counted; others are counted when asked for';


--
-- Name: COLUMN term.lexeme; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.term.lexeme IS 'as PostgreSQL spells it; the empty one only says when the others were counted';


--
-- Name: COLUMN term.chunks; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.term.chunks IS 'in how many chunks it was';


--
-- Name: COLUMN term.of_chunks; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.term.of_chunks IS 'among how many';


--
-- Name: COLUMN term.of_changes; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON COLUMN kb_handbook.term.of_changes IS 'how many had been added or deleted by then';


--
-- Name: chunk; Type: TABLE; Schema: kb_old_notes; Owner: -
--

CREATE TABLE kb_old_notes.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    words integer NOT NULL,
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


--
-- Name: TABLE chunk; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.chunk IS 'one passage per row; a changed passage is a new row';


--
-- Name: COLUMN chunk.id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.id IS 'time-ordered identifier';


--
-- Name: COLUMN chunk.document_id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.document_id IS 'the document it is a part of';


--
-- Name: COLUMN chunk.words; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.words IS 'how many words tsv counts: the length that BM25 divides by';


--
-- Name: COLUMN chunk.tsv; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';


--
-- Name: COLUMN chunk.text_config; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';


--
-- Name: COLUMN chunk.ordinal; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.ordinal IS 'position among the passages of the document, from 0';


--
-- Name: COLUMN chunk.start_char; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';


--
-- Name: COLUMN chunk.end_char; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.end_char IS 'offset after the last character';


--
-- Name: COLUMN chunk.page; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.page IS 'page of the source, where there are pages';


--
-- Name: COLUMN chunk.token_count; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';


--
-- Name: COLUMN chunk.source_type; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.source_type IS 'that of the document';


--
-- Name: COLUMN chunk.heading; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.heading IS 'Markdown headings in force, outermost first';


--
-- Name: COLUMN chunk.content; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.content IS 'the passage, as it stands in the document';


--
-- Name: COLUMN chunk.metadata; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language and heading added';


--
-- Name: COLUMN chunk.content_hash; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';


--
-- Name: corpus; Type: TABLE; Schema: kb_old_notes; Owner: -
--

CREATE TABLE kb_old_notes.corpus (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    text_config text NOT NULL,
    chunks bigint NOT NULL,
    words bigint NOT NULL,
    changes bigint NOT NULL
);


--
-- Name: TABLE corpus; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.corpus IS 'chunks and words of the base, by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged';


--
-- Name: COLUMN corpus.id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.corpus.id IS 'time-ordered identifier';


--
-- Name: COLUMN corpus.text_config; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.corpus.text_config IS 'that of the chunks';


--
-- Name: COLUMN corpus.chunks; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.corpus.chunks IS 'how many were added; negative for deleted ones';


--
-- Name: COLUMN corpus.words; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.corpus.words IS 'how many words they have';


--
-- Name: COLUMN corpus.changes; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.corpus.changes IS 'how many were added or deleted';


--
-- Name: document; Type: TABLE; Schema: kb_old_notes; Owner: -
--

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
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text])))
);


--
-- Name: TABLE document; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in step';


--
-- Name: COLUMN document.id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.id IS 'time-ordered identifier';


--
-- Name: COLUMN document.source_id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.source_id IS 'the source it comes from; NULL for documents written directly';


--
-- Name: COLUMN document.source_type; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';


--
-- Name: COLUMN document.source_key; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';


--
-- Name: COLUMN document.title; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.title IS 'embedded and indexed with each passage';


--
-- Name: COLUMN document.content; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.content IS 'the text, stored exactly as given';


--
-- Name: COLUMN document.mime_type; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';


--
-- Name: COLUMN document.language; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.language IS 'of the text, as an ISO 639-1 code or an English name: chooses the text search configuration; also for filters';


--
-- Name: COLUMN document.abstract; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.abstract IS 'a summary in a sentence or two, yours to fill';


--
-- Name: COLUMN document.overview; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.overview IS 'a summary in a paragraph or two, yours to fill';


--
-- Name: COLUMN document.metadata; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.metadata IS 'a JSON object to filter by';


--
-- Name: COLUMN document.content_hash; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';


--
-- Name: COLUMN document.status; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.status IS 'pending, processing, indexed or failed; kept by a trigger';


--
-- Name: COLUMN document.error_message; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.error_message IS 'why it failed; kept by a trigger';


--
-- Name: COLUMN document.imported; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.imported IS 'whether kb_import gave its passages and vectors, which stay until title or content change; kept by a trigger';


--
-- Name: COLUMN document.created_at; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.created_at IS 'when it was inserted';


--
-- Name: COLUMN document.updated_at; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.updated_at IS 'when it was last written; kept by a trigger';


--
-- Name: COLUMN document.indexed_at; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.document.indexed_at IS 'when its chunks were last brought in step; kept by a trigger';


--
-- Name: embedding; Type: TABLE; Schema: kb_old_notes; Owner: -
--

CREATE TABLE kb_old_notes.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_old_notes.embedding ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: TABLE embedding; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.embedding IS 'the vector of each chunk';


--
-- Name: COLUMN embedding.chunk_id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.embedding.chunk_id IS 'the chunk';


--
-- Name: COLUMN embedding.embedding; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.embedding.embedding IS 'of length 1';


--
-- Name: setting; Type: TABLE; Schema: kb_old_notes; Owner: -
--

CREATE TABLE kb_old_notes.setting (
    name text NOT NULL,
    value text
);


--
-- Name: TABLE setting; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';


--
-- Name: COLUMN setting.name; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.setting.name IS 'as in kb_list()';


--
-- Name: COLUMN setting.value; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.setting.value IS 'as text';


--
-- Name: source; Type: TABLE; Schema: kb_old_notes; Owner: -
--

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
    error_message text
);


--
-- Name: TABLE source; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.source IS 'where documents come from: such as a URL or a directory';


--
-- Name: COLUMN source.id; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.id IS 'time-ordered identifier';


--
-- Name: COLUMN source.kind; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.kind IS 'what it is, such as url or directory';


--
-- Name: COLUMN source.location; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.location IS 'its URL or path';


--
-- Name: COLUMN source.title; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.title IS 'what to call it';


--
-- Name: COLUMN source.options; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.options IS 'how to read it';


--
-- Name: COLUMN source.auto_sync; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.auto_sync IS 'whether it is read again by itself';


--
-- Name: COLUMN source.sync_interval; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.sync_interval IS 'how often';


--
-- Name: COLUMN source.last_synced_at; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.last_synced_at IS 'when it was last read';


--
-- Name: COLUMN source.status; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.status IS 'pending, or what became of the last reading';


--
-- Name: COLUMN source.error_message; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.source.error_message IS 'why it failed';


--
-- Name: term; Type: TABLE; Schema: kb_old_notes; Owner: -
--

CREATE TABLE kb_old_notes.term (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL,
    of_chunks bigint NOT NULL,
    of_changes bigint NOT NULL
);


--
-- Name: TABLE term; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TABLE kb_old_notes.term IS 'common lexemes of a large base: in how many chunks of how many each was when last counted; others are counted when asked for';


--
-- Name: COLUMN term.lexeme; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.term.lexeme IS 'as PostgreSQL spells it; the empty one only says when the others were counted';


--
-- Name: COLUMN term.chunks; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.term.chunks IS 'in how many chunks it was';


--
-- Name: COLUMN term.of_chunks; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.term.of_chunks IS 'among how many';


--
-- Name: COLUMN term.of_changes; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON COLUMN kb_old_notes.term.of_changes IS 'how many had been added or deleted by then';


--
-- Name: chunk; Type: TABLE; Schema: kb_shop; Owner: -
--

CREATE TABLE kb_shop.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    words integer NOT NULL,
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


--
-- Name: TABLE chunk; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.chunk IS 'one passage per row; a changed passage is a new row';


--
-- Name: COLUMN chunk.id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.id IS 'time-ordered identifier';


--
-- Name: COLUMN chunk.document_id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.document_id IS 'the document it is a part of';


--
-- Name: COLUMN chunk.words; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.words IS 'how many words tsv counts: the length that BM25 divides by';


--
-- Name: COLUMN chunk.tsv; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';


--
-- Name: COLUMN chunk.text_config; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';


--
-- Name: COLUMN chunk.ordinal; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.ordinal IS 'position among the passages of the document, from 0';


--
-- Name: COLUMN chunk.start_char; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';


--
-- Name: COLUMN chunk.end_char; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.end_char IS 'offset after the last character';


--
-- Name: COLUMN chunk.page; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.page IS 'page of the source, where there are pages';


--
-- Name: COLUMN chunk.token_count; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';


--
-- Name: COLUMN chunk.source_type; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.source_type IS 'that of the document';


--
-- Name: COLUMN chunk.heading; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.heading IS 'Markdown headings in force, outermost first';


--
-- Name: COLUMN chunk.content; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.content IS 'the passage, as it stands in the document';


--
-- Name: COLUMN chunk.metadata; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language and heading added';


--
-- Name: COLUMN chunk.content_hash; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';


--
-- Name: corpus; Type: TABLE; Schema: kb_shop; Owner: -
--

CREATE TABLE kb_shop.corpus (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    text_config text NOT NULL,
    chunks bigint NOT NULL,
    words bigint NOT NULL,
    changes bigint NOT NULL
);


--
-- Name: TABLE corpus; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.corpus IS 'chunks and words of the base, by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged';


--
-- Name: COLUMN corpus.id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.corpus.id IS 'time-ordered identifier';


--
-- Name: COLUMN corpus.text_config; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.corpus.text_config IS 'that of the chunks';


--
-- Name: COLUMN corpus.chunks; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.corpus.chunks IS 'how many were added; negative for deleted ones';


--
-- Name: COLUMN corpus.words; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.corpus.words IS 'how many words they have';


--
-- Name: COLUMN corpus.changes; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.corpus.changes IS 'how many were added or deleted';


--
-- Name: document; Type: TABLE; Schema: kb_shop; Owner: -
--

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
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text])))
);


--
-- Name: TABLE document; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in step';


--
-- Name: COLUMN document.id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.id IS 'time-ordered identifier';


--
-- Name: COLUMN document.source_id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.source_id IS 'the source it comes from; NULL for documents written directly';


--
-- Name: COLUMN document.source_type; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';


--
-- Name: COLUMN document.source_key; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';


--
-- Name: COLUMN document.title; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.title IS 'embedded and indexed with each passage';


--
-- Name: COLUMN document.content; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.content IS 'the text, stored exactly as given';


--
-- Name: COLUMN document.mime_type; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';


--
-- Name: COLUMN document.language; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.language IS 'of the text, as an ISO 639-1 code or an English name: chooses the text search configuration; also for filters';


--
-- Name: COLUMN document.abstract; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.abstract IS 'a summary in a sentence or two, yours to fill';


--
-- Name: COLUMN document.overview; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.overview IS 'a summary in a paragraph or two, yours to fill';


--
-- Name: COLUMN document.metadata; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.metadata IS 'a JSON object to filter by';


--
-- Name: COLUMN document.content_hash; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';


--
-- Name: COLUMN document.status; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.status IS 'pending, processing, indexed or failed; kept by a trigger';


--
-- Name: COLUMN document.error_message; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.error_message IS 'why it failed; kept by a trigger';


--
-- Name: COLUMN document.imported; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.imported IS 'whether kb_import gave its passages and vectors, which stay until title or content change; kept by a trigger';


--
-- Name: COLUMN document.created_at; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.created_at IS 'when it was inserted';


--
-- Name: COLUMN document.updated_at; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.updated_at IS 'when it was last written; kept by a trigger';


--
-- Name: COLUMN document.indexed_at; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.document.indexed_at IS 'when its chunks were last brought in step; kept by a trigger';


--
-- Name: embedding; Type: TABLE; Schema: kb_shop; Owner: -
--

CREATE TABLE kb_shop.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_shop.embedding ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: TABLE embedding; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.embedding IS 'the vector of each chunk';


--
-- Name: COLUMN embedding.chunk_id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.embedding.chunk_id IS 'the chunk';


--
-- Name: COLUMN embedding.embedding; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.embedding.embedding IS 'of length 1';


--
-- Name: setting; Type: TABLE; Schema: kb_shop; Owner: -
--

CREATE TABLE kb_shop.setting (
    name text NOT NULL,
    value text
);


--
-- Name: TABLE setting; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';


--
-- Name: COLUMN setting.name; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.setting.name IS 'as in kb_list()';


--
-- Name: COLUMN setting.value; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.setting.value IS 'as text';


--
-- Name: source; Type: TABLE; Schema: kb_shop; Owner: -
--

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
    error_message text
);


--
-- Name: TABLE source; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.source IS 'where documents come from: such as a URL or a directory';


--
-- Name: COLUMN source.id; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.id IS 'time-ordered identifier';


--
-- Name: COLUMN source.kind; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.kind IS 'what it is, such as url or directory';


--
-- Name: COLUMN source.location; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.location IS 'its URL or path';


--
-- Name: COLUMN source.title; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.title IS 'what to call it';


--
-- Name: COLUMN source.options; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.options IS 'how to read it';


--
-- Name: COLUMN source.auto_sync; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.auto_sync IS 'whether it is read again by itself';


--
-- Name: COLUMN source.sync_interval; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.sync_interval IS 'how often';


--
-- Name: COLUMN source.last_synced_at; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.last_synced_at IS 'when it was last read';


--
-- Name: COLUMN source.status; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.status IS 'pending, or what became of the last reading';


--
-- Name: COLUMN source.error_message; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.source.error_message IS 'why it failed';


--
-- Name: term; Type: TABLE; Schema: kb_shop; Owner: -
--

CREATE TABLE kb_shop.term (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL,
    of_chunks bigint NOT NULL,
    of_changes bigint NOT NULL
);


--
-- Name: TABLE term; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TABLE kb_shop.term IS 'common lexemes of a large base: in how many chunks of how many each was when last counted; others are counted when asked for';


--
-- Name: COLUMN term.lexeme; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.term.lexeme IS 'as PostgreSQL spells it; the empty one only says when the others were counted';


--
-- Name: COLUMN term.chunks; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.term.chunks IS 'in how many chunks it was';


--
-- Name: COLUMN term.of_chunks; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.term.of_chunks IS 'among how many';


--
-- Name: COLUMN term.of_changes; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON COLUMN kb_shop.term.of_changes IS 'how many had been added or deleted by then';


--
-- Name: chunk; Type: TABLE; Schema: kb_waiting; Owner: -
--

CREATE TABLE kb_waiting.chunk (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    words integer NOT NULL,
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


--
-- Name: TABLE chunk; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.chunk IS 'one passage per row; a changed passage is a new row';


--
-- Name: COLUMN chunk.id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.id IS 'time-ordered identifier';


--
-- Name: COLUMN chunk.document_id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.document_id IS 'the document it is a part of';


--
-- Name: COLUMN chunk.words; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.words IS 'how many words tsv counts: the length that BM25 divides by';


--
-- Name: COLUMN chunk.tsv; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.tsv IS 'lexemes of title (weight A), heading (B) and content (D); text without spaces as overlapping bigrams';


--
-- Name: COLUMN chunk.text_config; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.text_config IS 'qualified name of the text search configuration that made tsv: that of the document''s language, or of the base';


--
-- Name: COLUMN chunk.ordinal; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.ordinal IS 'position among the passages of the document, from 0';


--
-- Name: COLUMN chunk.start_char; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.start_char IS 'offset of the first character, from 0: content is substr(document.content, start_char + 1, end_char - start_char)';


--
-- Name: COLUMN chunk.end_char; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.end_char IS 'offset after the last character';


--
-- Name: COLUMN chunk.page; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.page IS 'page of the source, where there are pages';


--
-- Name: COLUMN chunk.token_count; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.token_count IS 'tokens of content as the model counts them; NULL where its tokenizer is not known';


--
-- Name: COLUMN chunk.source_type; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.source_type IS 'that of the document';


--
-- Name: COLUMN chunk.heading; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.heading IS 'Markdown headings in force, outermost first';


--
-- Name: COLUMN chunk.content; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.content IS 'the passage, as it stands in the document';


--
-- Name: COLUMN chunk.metadata; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.metadata IS 'the metadata of the document with title, source_url or filePath, chunkIndex, language and heading added';


--
-- Name: COLUMN chunk.content_hash; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.chunk.content_hash IS 'hash of what is embedded and indexed: title, heading and content';


--
-- Name: corpus; Type: TABLE; Schema: kb_waiting; Owner: -
--

CREATE TABLE kb_waiting.corpus (
    id uuid DEFAULT kb_rag.uuid_v7() NOT NULL,
    text_config text NOT NULL,
    chunks bigint NOT NULL,
    words bigint NOT NULL,
    changes bigint NOT NULL
);


--
-- Name: TABLE corpus; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.corpus IS 'chunks and words of the base, by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged';


--
-- Name: COLUMN corpus.id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.corpus.id IS 'time-ordered identifier';


--
-- Name: COLUMN corpus.text_config; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.corpus.text_config IS 'that of the chunks';


--
-- Name: COLUMN corpus.chunks; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.corpus.chunks IS 'how many were added; negative for deleted ones';


--
-- Name: COLUMN corpus.words; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.corpus.words IS 'how many words they have';


--
-- Name: COLUMN corpus.changes; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.corpus.changes IS 'how many were added or deleted';


--
-- Name: document; Type: TABLE; Schema: kb_waiting; Owner: -
--

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
    status text DEFAULT 'pending'::text NOT NULL,
    error_message text,
    imported boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    indexed_at timestamp with time zone,
    CONSTRAINT document_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT document_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'indexed'::text, 'failed'::text])))
);


--
-- Name: TABLE document; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.document IS 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in step';


--
-- Name: COLUMN document.id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.id IS 'time-ordered identifier';


--
-- Name: COLUMN document.source_id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.source_id IS 'the source it comes from; NULL for documents written directly';


--
-- Name: COLUMN document.source_type; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.source_type IS 'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto';


--
-- Name: COLUMN document.source_key; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.source_key IS 'path, URL or primary key at the source; unique with source_id and source_type';


--
-- Name: COLUMN document.title; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.title IS 'embedded and indexed with each passage';


--
-- Name: COLUMN document.content; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.content IS 'the text, stored exactly as given';


--
-- Name: COLUMN document.mime_type; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.mime_type IS 'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language';


--
-- Name: COLUMN document.language; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.language IS 'of the text, as an ISO 639-1 code or an English name: chooses the text search configuration; also for filters';


--
-- Name: COLUMN document.abstract; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.abstract IS 'a summary in a sentence or two, yours to fill';


--
-- Name: COLUMN document.overview; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.overview IS 'a summary in a paragraph or two, yours to fill';


--
-- Name: COLUMN document.metadata; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.metadata IS 'a JSON object to filter by';


--
-- Name: COLUMN document.content_hash; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.content_hash IS 'SHA-256 of content in UTF-8; kept by a trigger';


--
-- Name: COLUMN document.status; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.status IS 'pending, processing, indexed or failed; kept by a trigger';


--
-- Name: COLUMN document.error_message; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.error_message IS 'why it failed; kept by a trigger';


--
-- Name: COLUMN document.imported; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.imported IS 'whether kb_import gave its passages and vectors, which stay until title or content change; kept by a trigger';


--
-- Name: COLUMN document.created_at; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.created_at IS 'when it was inserted';


--
-- Name: COLUMN document.updated_at; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.updated_at IS 'when it was last written; kept by a trigger';


--
-- Name: COLUMN document.indexed_at; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.document.indexed_at IS 'when its chunks were last brought in step; kept by a trigger';


--
-- Name: embedding; Type: TABLE; Schema: kb_waiting; Owner: -
--

CREATE TABLE kb_waiting.embedding (
    chunk_id uuid NOT NULL,
    embedding public.vector(8) NOT NULL
);
ALTER TABLE ONLY kb_waiting.embedding ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: TABLE embedding; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.embedding IS 'the vector of each chunk';


--
-- Name: COLUMN embedding.chunk_id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.embedding.chunk_id IS 'the chunk';


--
-- Name: COLUMN embedding.embedding; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.embedding.embedding IS 'of length 1';


--
-- Name: setting; Type: TABLE; Schema: kb_waiting; Owner: -
--

CREATE TABLE kb_waiting.setting (
    name text NOT NULL,
    value text
);


--
-- Name: TABLE setting; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.setting IS 'the settings of the base, for kb_adopt: written by kb_create and kb_configure';


--
-- Name: COLUMN setting.name; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.setting.name IS 'as in kb_list()';


--
-- Name: COLUMN setting.value; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.setting.value IS 'as text';


--
-- Name: source; Type: TABLE; Schema: kb_waiting; Owner: -
--

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
    error_message text
);


--
-- Name: TABLE source; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.source IS 'where documents come from: such as a URL or a directory';


--
-- Name: COLUMN source.id; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.id IS 'time-ordered identifier';


--
-- Name: COLUMN source.kind; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.kind IS 'what it is, such as url or directory';


--
-- Name: COLUMN source.location; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.location IS 'its URL or path';


--
-- Name: COLUMN source.title; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.title IS 'what to call it';


--
-- Name: COLUMN source.options; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.options IS 'how to read it';


--
-- Name: COLUMN source.auto_sync; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.auto_sync IS 'whether it is read again by itself';


--
-- Name: COLUMN source.sync_interval; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.sync_interval IS 'how often';


--
-- Name: COLUMN source.last_synced_at; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.last_synced_at IS 'when it was last read';


--
-- Name: COLUMN source.status; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.status IS 'pending, or what became of the last reading';


--
-- Name: COLUMN source.error_message; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.source.error_message IS 'why it failed';


--
-- Name: term; Type: TABLE; Schema: kb_waiting; Owner: -
--

CREATE TABLE kb_waiting.term (
    lexeme text NOT NULL COLLATE pg_catalog."C",
    chunks bigint NOT NULL,
    of_chunks bigint NOT NULL,
    of_changes bigint NOT NULL
);


--
-- Name: TABLE term; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TABLE kb_waiting.term IS 'common lexemes of a large base: in how many chunks of how many each was when last counted; others are counted when asked for';


--
-- Name: COLUMN term.lexeme; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.term.lexeme IS 'as PostgreSQL spells it; the empty one only says when the others were counted';


--
-- Name: COLUMN term.chunks; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.term.chunks IS 'in how many chunks it was';


--
-- Name: COLUMN term.of_chunks; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.term.of_chunks IS 'among how many';


--
-- Name: COLUMN term.of_changes; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON COLUMN kb_waiting.term.of_changes IS 'how many had been added or deleted by then';


--
-- Name: articles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.articles (
    id integer NOT NULL,
    headline text,
    body text,
    topic text
);


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.chunk (id, document_id, words, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a20433-a9c5-712b-a9c0-25210a8ed26c	01a20433-a9c4-7502-9650-10ffdd349523	4	'four':3 'minut':4 'need':2 'tea':1	pg_catalog.english	0	0	23	\N	\N	import	\N	Tea needs four minutes.	{"filePath": "tea", "chunkIndex": 0}	\\xe6d24d178135d84dd2851b4d338e31ad
01a20433-a9c5-7137-a5f8-20f7665ddfa3	01a20433-a9c4-7502-9650-10ffdd349523	3	'come':2 'later':3 'milk':1	pg_catalog.english	1	25	42	\N	\N	import	\N	Milk comes later.	{"filePath": "tea", "chunkIndex": 1}	\\xac307361843b1d35b6a4a2ac6fc930e9
\.


--
-- Data for Name: corpus; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.corpus (id, text_config, chunks, words, changes) FROM stdin;
01a20433-a9c6-7b3b-a970-04d01b902b06	pg_catalog.english	2	7	2
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a20433-a9c4-7502-9650-10ffdd349523	\N	import	tea	\N	Tea needs four minutes.\n\nMilk comes later.	\N	\N	\N	\N	{}	\\xb981e7cf60256470c3de1addef2faceb2ba33e0b9b0bade1218f47e7ce971a30	indexed	\N	t	2026-11-22 17:00:24.387636+00	2026-11-22 17:00:24.387636+00	2026-11-22 17:00:24.387636+00
\.


--
-- Data for Name: embedding; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.embedding (chunk_id, embedding) FROM stdin;
01a20433-a9c5-712b-a9c0-25210a8ed26c	[1,0,0]
01a20433-a9c5-7137-a5f8-20f7665ddfa3	[0.6,0.8,0]
\.


--
-- Data for Name: setting; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.setting (name, value) FROM stdin;
id	01a20433-a9b9-75a1-976f-264e927464e3
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
\.


--
-- Data for Name: source; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message) FROM stdin;
\.


--
-- Data for Name: term; Type: TABLE DATA; Schema: kb_drinks; Owner: -
--

COPY kb_drinks.term (lexeme, chunks, of_chunks, of_changes) FROM stdin;
\.


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.chunk (id, document_id, words, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a20433-a959-70a7-b114-d3befd3e879f	01a20433-a956-7cd4-96ca-9a7bebbe5ddd	11	'back':13 'card':16 'day':9 'goe':12 'item':6 'money':11 'paid':18 'refund':1A 'return':4 'thirti':8 'within':7	pg_catalog.english	0	0	90	\N	20	document	\N	You can return any item within thirty days. The money goes back to the card you paid with.	{"team": "sales", "title": "Refunds", "chunkIndex": 0}	\\xaebd7cf77c1fc1aa0453fff600bec6ad
01a20433-a979-7c97-bc67-3ea9bbcfd3db	01a20433-a957-7743-9d2b-edfbb0ac8036	9	'arriv':5 'day':11 'deliveri':1A 'europ':4 'five':9 'parcel':2 'three':7 'within':3 'work':10	pg_catalog.english	0	0	59	\N	11	document	\N	Parcels within Europe arrive in three to five working days.	{"title": "Delivery", "chunkIndex": 0}	\\x07d1b040f0eb03d0ac385d2a51cbac97
\.


--
-- Data for Name: corpus; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.corpus (id, text_config, chunks, words, changes) FROM stdin;
01a20433-a985-7c8b-acc8-781d044c7e02	pg_catalog.english	2	20	2
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a20433-a956-7cd4-96ca-9a7bebbe5ddd	\N	document	\N	Refunds	You can return any item within thirty days. The money goes back to the card you paid with.	\N	\N	\N	\N	{"team": "sales"}	\\x9a3be30db02dd3a92dec29f9c5833dec1d134330f01ef7ab20c24dde9d3a5375	indexed	\N	f	2026-11-22 17:00:24.278548+00	2026-11-22 17:00:24.278548+00	2026-11-22 17:00:24.278548+00
01a20433-a957-7743-9d2b-edfbb0ac8036	\N	document	\N	Delivery	Parcels within Europe arrive in three to five working days.	\N	\N	\N	\N	{}	\\x8b4d9f9969dd3c03bf29cabd56828db847cb332db04942c4241905c7e7071e6f	indexed	\N	f	2026-11-22 17:00:24.278548+00	2026-11-22 17:00:24.278548+00	2026-11-22 17:00:24.278548+00
\.


--
-- Data for Name: embedding; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.embedding (chunk_id, embedding) FROM stdin;
01a20433-a959-70a7-b114-d3befd3e879f	[-0.0267022,0.04627837,0.018032905,0.016951641,0.013099077,-0.0172143,-0.00033351697,-0.057471246,-0.017209709,0.0010370775,0.07658568,0.0021137262,-0.030075418,-0.08393303,-0.036530796,-0.07247459,0.033090927,0.058824904,-0.023294164,0.008667343,0.019234402,-0.034286324,-0.06665357,0.00069561973,0.0480464,0.11034853,-0.059935626,-0.011928221,-0.03551322,-0.03607855,0.054149162,0.026992984,-0.03992921,-0.042378224,-0.035709597,-0.008185313,-0.054944262,-0.0011536648,-0.017759506,0.03866142,-0.06437332,0.04965736,-0.04771474,0.011697345,0.040120173,-0.044997633,-0.014140829,0.0443621,0.04246269,0.08733037,0.07070128,0.00033939755,-0.12508728,0.051647745,-0.06937513,0.06285791,0.034215968,0.009154225,-0.009796746,-0.029265195,0.08359368,-0.11768749,-0.047781624,0.014648131,-0.03711545,-0.058825325,-0.042558443,-0.051162276,0.0015911086,-0.06927463,0.121680275,-0.03474653,0.039773513,0.0015029312,0.05913556,0.116804466,0.023876505,-0.0016193958,-0.022016577,0.07477518,-0.05481404,0.03879517,0.047353666,-0.045185775,0.08898827,-0.0022063684,-0.00061470346,0.10662152,0.06254483,-0.030629527,0.0066819903,-6.897615e-05,-0.008279735,-0.036578894,-0.062420003,-0.075148225,0.041731592,-0.0052168365,0.019491635,-0.008748085,0.048282735,0.05073289,-0.023936544,0.010986865,0.06863951,-0.089224145,0.03544676,0.04741803,-0.042123437,-0.010719627,-0.040098492,-0.026395496,0.058522284,-0.0077768266,-0.013254535,0.092074,-0.09281159,-0.02511654,0.0063529867,-0.072220005,0.011403137,0.10601986,0.052911747,-0.04324352,-0.08108435,-0.026836041,0.066736646,-1.7363137e-33,-0.084956676,0.06356252,-0.024885813,-0.0897812,0.044568833,-0.032611217,0.09146217,-0.028935824,0.0104188435,0.026762038,0.012921915,0.058708727,0.064442396,0.026064271,-0.07869807,0.046041142,-0.012298912,0.023515247,0.042983044,-0.020205807,0.010798771,-0.07623965,-0.00091406645,-0.03763215,0.030303648,-0.040922914,-0.05268131,0.013486146,0.066439055,-0.015599343,0.064451195,0.053222824,0.05848286,-0.032982852,-0.002128157,0.052964423,0.09287749,-0.023671461,-0.020583842,0.032016087,0.009002849,-0.005701011,-0.06553829,-0.042741347,-0.031907815,-0.103576005,0.078249246,-0.013032941,-0.026889704,0.005488205,0.007693773,0.056981705,-0.009835075,-0.02538151,-0.080816984,-0.042838834,0.011327466,0.051614113,-0.029170074,-0.05885406,0.0693051,-0.08122871,0.028528532,0.029362762,-0.06898996,0.020074364,0.056465097,-0.012343645,-0.10662945,0.07840829,0.02501175,0.060750585,0.030481191,-0.0038628113,0.02454972,0.010478328,-0.03233656,-0.060653277,-0.007917232,-0.052960493,-0.051757853,-0.066948555,-0.06848567,0.022448912,-0.004404368,0.06560811,0.063061565,-0.06706032,0.06012884,-0.058788948,-0.016973509,-0.06728975,0.07822777,-0.017515471,0.11470207,1.0810089e-33,0.035613418,-0.043917432,-0.055218708,-0.0020398444,-0.048151877,-0.04570402,0.011251257,0.19467019,-0.03435154,0.004542573,-0.01646867,0.022139361,0.0519239,0.036487345,0.0186066,0.032364126,0.0028874925,-0.04041962,0.021661531,-0.005309968,0.053156428,-0.029866206,0.081624,-0.0023894757,-0.08108828,0.07738105,0.026445152,-0.099105686,0.015557647,-0.046426542,0.07880089,-0.08236245,-0.03573278,0.053053435,0.07203621,-0.038348675,-0.068903126,-0.0262662,0.073364265,0.0051996713,0.045478314,0.024697412,0.024210155,0.023839844,0.0049429387,-0.041292366,0.0140024135,-0.08487537,0.06402859,-0.043911856,-0.029667554,-0.06415036,0.05536686,0.03058852,-0.066371284,0.06770572,0.087542154,-0.045834072,0.022049585,-0.015179604,-0.048463337,-0.07717864,0.018988075,0.012109905,0.026281158,0.003978558,0.07047924,-0.04825429,0.07158885,0.030709207,-0.029910145,0.124432236,-0.027259309,0.021835126,0.040261816,0.028189909,0.017766925,0.04190494,0.02089855,-0.041959178,0.09950414,-0.031597607,-0.007272286,-0.0056448956,0.071589716,-0.073249735,-0.041887727,-0.07778558,0.009187567,-0.008201035,0.015325474,-0.02623336,0.077462316,0.08101075,-0.023565456,-2.0076047e-08,-0.024676407,0.004351895,0.051301144,0.11143426,-0.020513497,-0.0073939767,0.02744288,0.009431036,-0.028798867,-0.07137656,0.0369415,-0.020518837,-0.026602946,-0.028517542,0.034268633,-0.06615489,0.049820878,-0.10974327,0.04621748,-0.028091552,-0.018207526,-0.00065002305,0.08299282,-0.011370933,-0.06468269,0.054595817,0.114949815,0.08211777,-0.017285611,-0.019950647,-0.008413268,-0.031229425,0.051855247,0.09093344,-0.00041687774,-0.103196494,0.045860063,-0.01836327,-0.0006735884,0.039945196,0.05838506,-0.0472233,-0.063467085,-0.050432213,-0.010312513,-0.04085522,-0.075149626,-0.054943483,0.0232404,0.0066133016,-0.011693359,-0.014783707,-0.011771053,-0.0016471922,-0.036688037,-0.0485609,0.011478672,0.01949237,-0.027068347,-0.041104846,-0.02127143,-0.065450884,-0.0009776277,-0.03151627]
01a20433-a979-7c97-bc67-3ea9bbcfd3db	[0.035531774,-0.051603112,0.04561096,-0.022737723,-0.0049989303,-0.06864752,-0.061016466,-0.06848065,-0.03647563,-0.014719377,0.022786023,-0.03733807,-0.061629772,0.066594586,-0.02170152,-0.060701095,0.03526352,-0.10002662,-0.1008253,-0.030307934,0.027255325,0.002813902,-0.04284012,0.016243434,0.044426646,0.015854264,-0.041821588,-0.08462616,-0.001339224,-0.012311817,-0.028429596,0.0033620675,-0.06642128,0.050480172,0.024745215,0.039418023,-0.01553103,-0.062566355,0.045624565,-0.008315553,0.038138945,-0.033161093,-0.010917638,0.10175852,-0.003598039,-0.006818128,0.03556379,0.04572357,0.013888018,-0.014379761,0.01655729,0.0062829135,-0.0044107116,-0.028514106,-0.10117436,0.025758717,0.05525793,0.023300027,-0.013939363,0.027863314,-0.018824348,0.015661338,0.0077013494,-0.060004976,-0.03808221,0.02793725,-0.065800995,-0.07619072,-0.12024267,0.015688548,-0.029134937,-0.047521524,-0.09244003,0.081782274,0.09903447,-0.026752006,0.05377768,-0.04836947,-0.045465615,-0.07143759,0.04400774,0.08174118,0.003540414,0.06010157,-0.013709735,-0.03299981,0.034272023,0.08329029,-0.0040915436,-0.066117965,0.0058968235,-0.0913389,-0.029464839,0.06519725,-0.07305789,-0.028089026,0.030916244,0.069872335,-0.023402706,0.033632927,0.04766057,0.06212137,0.0023653929,-0.023845281,-0.06678374,0.0049943384,-0.05073882,-0.009792134,-0.13427071,0.04494499,-0.07558938,-0.019951997,-0.0339762,-0.06482401,-0.066779055,0.04859803,-0.030743489,-0.030130468,0.0689586,-0.08004188,0.058199517,0.030708443,0.03001633,0.0072118817,-0.03135651,0.03957046,0.1278511,1.1906436e-34,-0.13914147,-0.06286587,0.0057077706,0.103362,-0.004756418,-0.065119915,-0.009565041,-0.029602632,0.076822005,-0.003380113,-0.1415272,-0.016232677,0.049280394,0.059528913,-0.063388474,0.013851165,0.11858876,0.060408995,-0.018945597,0.06492684,0.025733348,-0.1420445,0.004516861,0.027267467,0.03702657,0.0044211247,-0.051077314,0.062036205,0.07191014,0.0044829827,0.06342888,0.022467386,0.036240995,0.04070293,-0.048061028,0.073648825,0.022489496,-0.031176537,0.046362534,0.0036281382,0.019490208,-0.02638643,0.0004897239,0.064430706,0.008049305,0.043819044,-0.050460506,-0.08008135,0.03543674,-0.021476395,0.005393309,0.037634265,0.10038923,0.022629121,0.05676376,0.05905852,0.026531514,-0.007815744,0.028477775,-0.0029749037,0.021528827,0.03302988,-0.017519813,0.039453324,0.08719413,-0.017817164,-0.014926966,0.056297943,-0.000668012,-0.03724903,0.090879515,0.091032,0.06792124,-0.04945204,0.054638907,0.026593477,0.008330364,-0.011875294,-0.032096606,-0.020410247,-0.028890582,0.006224072,-0.010891495,-0.023955068,0.032876413,0.049489718,0.06353798,0.038786147,-0.012283396,0.0005732771,-0.037287954,-0.010463701,0.015055168,-0.025323076,0.058366805,-7.2886426e-34,0.04883036,0.02315001,-0.051571928,0.064957894,0.0299643,0.031253576,-0.025982292,0.07003349,-0.0259487,0.078370415,-0.09298153,-0.0442547,0.0033716583,-0.06461234,0.038525235,0.03290016,0.13100918,-0.025240568,0.056675702,0.07981768,0.08729738,-0.070376016,-0.04618651,0.010004539,0.029155891,0.009297008,0.006023993,-0.051132634,-0.07058683,-0.04896997,-0.11408943,0.034395263,0.028746258,0.03272043,-0.008371218,0.0071275583,-0.06547198,0.11999428,0.11365482,0.0111498255,-0.1459302,0.01007296,-0.015043945,0.010413991,-0.026352115,-0.011591968,-0.018057715,-0.0012252276,0.03326544,0.040790375,0.03358398,0.047347836,-0.027580721,-0.011187098,0.01664071,0.05703222,-0.038700063,-0.12593241,-0.007603671,0.07581996,-0.06287653,-0.011762795,0.053427875,-0.04065987,0.013036978,-0.056217413,-0.027918555,0.027824106,0.043266367,0.022684112,-0.025720239,0.014814405,-0.027672006,-0.019443026,-0.019324817,-0.058614824,0.063624986,0.092676066,0.005284796,0.022593556,0.0021576232,-0.060033355,0.025380405,0.024253914,0.012598783,-0.09499471,0.06457852,-0.060415957,0.10085609,-0.00045242984,-0.010466944,0.055124998,0.024859047,-0.014856731,-0.0018384903,-1.8402114e-08,0.052314755,-0.010326425,-0.057907227,0.03295691,-0.011795072,-0.0035760626,0.019844048,0.05929834,-0.03608161,-0.043593694,-0.017874751,-0.051379267,-0.03487547,0.042987518,-0.011114876,0.017703217,-0.017953072,-0.020759875,-0.017147848,-0.07783309,0.028578244,0.028783096,0.08324379,-0.08186373,0.009067122,0.0098335575,0.021198042,-0.056224357,0.026972698,-0.03416669,-0.013851297,0.04284773,-0.037880782,0.008564093,-0.008515645,-0.03113295,-0.029019188,0.031477142,-0.0904917,0.024152936,0.0019341239,-0.03387102,-0.008496869,-0.05992308,0.030868148,-0.04996761,-0.13020033,-0.0039913617,0.00726804,-0.00024349392,0.0022021777,0.04271606,0.016059568,0.07541032,0.05806825,-0.017751671,0.008452901,-0.09302324,0.120322466,0.045724653,-0.12283136,0.0040889513,0.0062089358,0.019645521]
\.


--
-- Data for Name: setting; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.setting (name, value) FROM stdin;
id	01a20433-a93a-7770-92cd-9b9be07c0f18
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
\.


--
-- Data for Name: source; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message) FROM stdin;
\.


--
-- Data for Name: term; Type: TABLE DATA; Schema: kb_handbook; Owner: -
--

COPY kb_handbook.term (lexeme, chunks, of_chunks, of_changes) FROM stdin;
\.


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.chunk (id, document_id, words, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a20433-a989-789f-bc72-17a26abe6b00	01a20433-a987-7c97-abf9-928c1a1209f1	11	'1':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	52	\N	\N	document	Part 1	# Part 1\n\nCats and dogs and animal number 1 and more	{"title": "Note 1", "heading": "Part 1", "filePath": "notes/1.md", "chunkIndex": 0}	\\x8917466b9abb5eb0129328203862ecfd
01a20433-a989-78d0-987e-20093454bd82	01a20433-a988-73b6-8963-c43954200eec	11	'2':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	61	\N	\N	document	Part 2	# Part 2\n\nCats and dogs and animal number 2 and more and more	{"title": "Note 2", "heading": "Part 2", "filePath": "notes/2.md", "chunkIndex": 0}	\\x22e8b3283448ae4eb0d2fcf99e3ea42d
01a20433-a989-78ed-a09b-845f79744f34	01a20433-a988-74e1-b50e-fdf4c099db04	11	'4':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	79	\N	\N	document	Part 4	# Part 4\n\nCats and dogs and animal number 4 and more and more and more and more	{"title": "Note 4", "heading": "Part 4", "filePath": "notes/4.md", "chunkIndex": 0}	\\x8559f5ccfad8d4f917e745ac5e59a6ee
01a20433-a989-78f9-9cce-2bc390f403c0	01a20433-a988-74f9-93d7-fef70fd75677	11	'5':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	43	\N	\N	document	Part 5	# Part 5\n\nCats and dogs and animal number 5	{"title": "Note 5", "heading": "Part 5", "filePath": "notes/5.md", "chunkIndex": 0}	\\xbd579810ffe4d1614568caaef73e785e
01a20433-a989-7906-94f2-d97b82bdee07	01a20433-a988-750a-96a8-bfd853d019bf	11	'6':2A,4B,6,13 'anim':11 'cat':7 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	52	\N	\N	document	Part 6	# Part 6\n\nCats and dogs and animal number 6 and more	{"title": "Note 6", "heading": "Part 6", "filePath": "notes/6.md", "chunkIndex": 0}	\\x89101a759034024408450e10c03f3c0a
01a20433-a991-7872-b785-6b1030c49346	01a20433-a991-7191-9ad2-4fdf1722b31f	5	'haus':10 'hund':6 'katz':3 'schlaf':7 'tier':1A	pg_catalog.german	0	0	49	\N	\N	document	\N	Die Katzen und die Hunde schlafen in den Häusern.	{"title": "Tiere", "language": "de", "chunkIndex": 0}	\\xa5fdf9d36a10f90bf29d1f0980029ab4
01a20433-a996-7631-a8b0-2003aa6c9569	01a20433-a988-74c4-ad61-cf9b1a687dca	12	'3':2A,4B,6,13 'anim':11 'cat':7 'chang':20 'dog':9 'note':1A 'number':12 'part':3B,5	pg_catalog.english	0	0	78	\N	\N	document	Part 3	# Part 3\n\nCats and dogs and animal number 3 and more and more and more changed	{"title": "Note 3", "heading": "Part 3", "filePath": "notes/3.md", "chunkIndex": 0}	\\x30073c0aedaf8af78acb3e43cea131b3
\.


--
-- Data for Name: corpus; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.corpus (id, text_config, chunks, words, changes) FROM stdin;
01a20433-a98b-7a8b-b474-38623b71115a	pg_catalog.english	6	66	6
01a20433-a992-7aa7-97ad-ed703d099f13	pg_catalog.german	1	5	1
01a20433-a996-7d99-acf2-6a8a136a0ccd	pg_catalog.english	1	12	1
01a20433-a997-7235-9fa8-36935a4300c3	pg_catalog.english	-1	-11	1
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a20433-a987-7c97-abf9-928c1a1209f1	\N	document	notes/1.md	Note 1	# Part 1\n\nCats and dogs and animal number 1 and more	\N	\N	\N	\N	{}	\\xc323ea3e5026366267dba4769174952369940fdebfcb692e51feb49e0504e4fd	indexed	\N	f	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00
01a20433-a988-73b6-8963-c43954200eec	\N	document	notes/2.md	Note 2	# Part 2\n\nCats and dogs and animal number 2 and more and more	\N	\N	\N	\N	{}	\\x3abe19673be5aff36ce3fb621d61bd9884211b95d5e4aa80ab9349f695158eb7	indexed	\N	f	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00
01a20433-a988-74e1-b50e-fdf4c099db04	\N	document	notes/4.md	Note 4	# Part 4\n\nCats and dogs and animal number 4 and more and more and more and more	\N	\N	\N	\N	{}	\\x07052785aeb8c59a06651a92194e07d2c95b016dfe14d6906a356f3bc4159104	indexed	\N	f	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00
01a20433-a988-74f9-93d7-fef70fd75677	\N	document	notes/5.md	Note 5	# Part 5\n\nCats and dogs and animal number 5	\N	\N	\N	\N	{}	\\x50c4aa4a833f066832975eb76d27e43d3b3515df99b2c3edac2d0ec4fb3910bc	indexed	\N	f	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00
01a20433-a988-750a-96a8-bfd853d019bf	\N	document	notes/6.md	Note 6	# Part 6\n\nCats and dogs and animal number 6 and more	\N	\N	\N	\N	{}	\\x84ed30dbd62049b73281d6bdb727a0393839d84038805fb025c5f4988a7e37c8	indexed	\N	f	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.327478+00
01a20433-a991-7191-9ad2-4fdf1722b31f	\N	document	\N	Tiere	Die Katzen und die Hunde schlafen in den Häusern.	\N	de	\N	\N	{}	\\x8b27a5cffdb4649b469e8d4836e428991b8d74dff5f669e6356de2872f606aca	indexed	\N	f	2026-11-22 17:00:24.337041+00	2026-11-22 17:00:24.337041+00	2026-11-22 17:00:24.337041+00
01a20433-a992-7fe7-91a0-d7c0788689fc	\N	document	\N	Empty		\N	\N	\N	\N	{}	\\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855	indexed	\N	f	2026-11-22 17:00:24.338951+00	2026-11-22 17:00:24.338951+00	2026-11-22 17:00:24.338951+00
01a20433-a988-74c4-ad61-cf9b1a687dca	\N	document	notes/3.md	Note 3	# Part 3\n\nCats and dogs and animal number 3 and more and more and more changed	\N	\N	\N	\N	{}	\\x9ccbeec0892eee52b3387539659f7e1a1109e0694192e6f6eda8507b18f1990a	indexed	\N	f	2026-11-22 17:00:24.327478+00	2026-11-22 17:00:24.339482+00	2026-11-22 17:00:24.339482+00
\.


--
-- Data for Name: embedding; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.embedding (chunk_id, embedding) FROM stdin;
01a20433-a989-789f-bc72-17a26abe6b00	[-0.34554738,0.25916052,-0.69109476,0.4319342,0.086386845,0.25916052,-0.25916052,-0.086386845]
01a20433-a989-78d0-987e-20093454bd82	[0,-0.064018436,-0.6401844,0.44812906,0.12803687,0.25607374,-0.44812906,-0.3200922]
01a20433-a989-78ed-a09b-845f79744f34	[0.19518001,-0.048795003,-0.68313,0.536745,0.19518001,0.29277,-0.146385,-0.24397501]
01a20433-a989-78f9-9cce-2bc390f403c0	[0,-0.15075567,-0.904534,-0.15075567,0,0.30151135,0.15075567,-0.15075567]
01a20433-a989-7906-94f2-d97b82bdee07	[0,-0.10314212,-0.82513696,0.10314212,0.10314212,-0.5157106,0.10314212,-0.10314212]
01a20433-a991-7872-b785-6b1030c49346	[-0.5883484,0.39223227,-0.39223227,0.39223227,0,0.39223227,0.19611613,0]
01a20433-a996-7631-a8b0-2003aa6c9569	[0,-0.3666178,-0.58658844,0.58658844,0.21997067,0.29329422,0.14664711,0.14664711]
\.


--
-- Data for Name: setting; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.setting (name, value) FROM stdin;
id	01a20433-a94b-7cf5-89ba-7b8db489bd5f
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
\.


--
-- Data for Name: source; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message) FROM stdin;
\.


--
-- Data for Name: term; Type: TABLE DATA; Schema: kb_old_notes; Owner: -
--

COPY kb_old_notes.term (lexeme, chunks, of_chunks, of_changes) FROM stdin;
\.


--
-- Data for Name: agent_knowledge_base; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.agent_knowledge_base (agent_id, knowledge_base_id, attached_at) FROM stdin;
a0000000-0000-0000-0000-00000000000a	01a20433-a94b-7cf5-89ba-7b8db489bd5f	2026-11-22 17:00:24.343272+00
\.


--
-- Data for Name: attached_table; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.attached_table (source_id, knowledge_base_id, location, relation, uses, labels, names, numbers, source_type, is_read, read_to, rows_read, rows_in_all, attached_at) FROM stdin;
01a20433-a9a8-79ba-9fdc-53a852aa342f	01a20433-a999-7c93-a6a0-c64caf3e21b8	public.articles	17211	{content,title,key,metadata}	{body,headline,id,topic}	{body,headline,id,topic}	{3,2,1,4}	table	t	{2}	2	2	2026-11-22 17:00:24.356166+00
\.


--
-- Data for Name: job; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.job (id, knowledge_base_id, kind, target, attempts, due_at, worker, claimed_at, failed, error, created_at) FROM stdin;
01a20433-a9d8-7760-b15f-53fb63249f35	01a20433-a9ca-7697-87fa-875cd002594d	embed	01a20433-a9d5-74a3-8cca-2952bfe5a094	0	2026-11-22 17:00:24.405084+00	\N	\N	f	\N	2026-11-22 17:00:24.405084+00
\.


--
-- Data for Name: knowledge_base; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.knowledge_base (id, name, slug, schema, description, owner, model, dimensions, chunk_size, chunk_overlap, chunk_unit, chunk_strategy, text_config, ranker, bm25_k1, bm25_b, title_weight, heading_weight, index_method, embed, model_variants, next_model, next_dimensions, created_at) FROM stdin;
01a20433-a93a-7770-92cd-9b9be07c0f18	handbook	handbook	kb_handbook	how we work	postgres	local/all-minilm-l6-v2	384	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	auto	auto	{int8}	\N	\N	2026-11-22 17:00:24.237915+00
01a20433-a94b-7cf5-89ba-7b8db489bd5f	Old notes	old_notes	kb_old_notes	\N	postgres	fake/test	8	200	20	char	markdown	pg_catalog.english	bm25	1.2	0.75	3	1.5	auto	auto	{}	\N	\N	2026-11-22 17:00:24.267372+00
01a20433-a999-7c93-a6a0-c64caf3e21b8	shop	shop	kb_shop	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	auto	auto	{}	\N	\N	2026-11-22 17:00:24.345539+00
01a20433-a9b9-75a1-976f-264e927464e3	drinks	drinks	kb_drinks	\N	postgres	fake/example	3	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	auto	auto	{}	\N	\N	2026-11-22 17:00:24.377058+00
01a20433-a9ca-7697-87fa-875cd002594d	waiting	waiting	kb_waiting	\N	postgres	fake/test	8	1000	200	char	auto	pg_catalog.english	bm25	1.2	0.75	2	1.5	auto	queued	{}	\N	\N	2026-11-22 17:00:24.394205+00
\.


--
-- Data for Name: provider; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.provider (name, builtin, kind, base_url, api_key, headers, timeout, batch_items, batch_tokens, batch_bytes, price_per_million, owner) FROM stdin;
company	f	openai	http://127.0.0.1:9/v1	\N	{"x-team": "search"}	00:01:00	\N	\N	\N	\N	postgres
\.


--
-- Data for Name: provider_grant; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.provider_grant (provider, role) FROM stdin;
\.


--
-- Data for Name: usage; Type: TABLE DATA; Schema: kb_rag; Owner: -
--

COPY kb_rag.usage (knowledge_base_id, knowledge_base, model, at, calls, items, tokens, errors, cost) FROM stdin;
01a20433-a9ca-7697-87fa-875cd002594d	waiting	company/m	2026-11-22 12:00:00+00	3	30	300	1	0.5
\.


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.chunk (id, document_id, words, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a20433-a9af-7d47-94b5-63965178bea3	01a20433-a9ae-7810-a7e2-e624dda4e126	6	'boil':3 'kettl':1A 'litr':5 'minut':10 'two':9 'water':7	pg_catalog.english	0	0	41	\N	\N	table	\N	It boils a litre of water in two minutes.	{"key": {"id": 1}, "title": "Kettle", "topic": "kitchen", "filePath": "1", "chunkIndex": 0}	\\x2c685ba5a644767aeacb3710c6bfc06f
01a20433-a9af-7d68-84be-b9370b0d1736	01a20433-a9ae-7d85-9b5c-f680dbc63113	4	'hour':6 'lamp':1A 'nine':5 'shine':3	pg_catalog.english	0	0	25	\N	\N	table	\N	It shines for nine hours.	{"key": {"id": 2}, "title": "Lamp", "topic": "light", "filePath": "2", "chunkIndex": 0}	\\xe7532a1765209dc9b84de5c6ab541828
\.


--
-- Data for Name: corpus; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.corpus (id, text_config, chunks, words, changes) FROM stdin;
01a20433-a9b2-7589-a781-50fcf006adf9	pg_catalog.english	2	10	2
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a20433-a9ae-7810-a7e2-e624dda4e126	01a20433-a9a8-79ba-9fdc-53a852aa342f	table	1	Kettle	It boils a litre of water in two minutes.	\N	\N	\N	\N	{"key": {"id": 1}, "topic": "kitchen"}	\\xd25024c032dcb73886cc6f59e8fd887bd2854de0156545acbc1ea90c12099402	indexed	\N	f	2026-11-22 17:00:24.356166+00	2026-11-22 17:00:24.356166+00	2026-11-22 17:00:24.356166+00
01a20433-a9ae-7d85-9b5c-f680dbc63113	01a20433-a9a8-79ba-9fdc-53a852aa342f	table	2	Lamp	It shines for nine hours.	\N	\N	\N	\N	{"key": {"id": 2}, "topic": "light"}	\\xe85638b1bca9969563d6605dde864a38fc25f41b60a3fe77d339f404fc70032f	indexed	\N	f	2026-11-22 17:00:24.356166+00	2026-11-22 17:00:24.356166+00	2026-11-22 17:00:24.356166+00
\.


--
-- Data for Name: embedding; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.embedding (chunk_id, embedding) FROM stdin;
01a20433-a9af-7d47-94b5-63965178bea3	[-0.36514837,-0.36514837,0,-0.5477225,-0.36514837,0,0,-0.5477225]
01a20433-a9af-7d68-84be-b9370b0d1736	[-0.18257418,0,0,-0.18257418,0.18257418,0.18257418,-0.18257418,-0.9128709]
\.


--
-- Data for Name: setting; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.setting (name, value) FROM stdin;
id	01a20433-a999-7c93-a6a0-c64caf3e21b8
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
attached_tables	[{"uses": ["content", "title", "key", "metadata"], "names": ["body", "headline", "id", "topic"], "labels": ["body", "headline", "id", "topic"], "location": "public.articles", "source_id": "01a20433-a9a8-79ba-9fdc-53a852aa342f", "source_type": "table"}]
\.


--
-- Data for Name: source; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message) FROM stdin;
01a20433-a9a8-79ba-9fdc-53a852aa342f	table	public.articles	\N	{"key": ["id"], "title": "headline", "content": "body", "metadata": ["topic"], "source_type": "table"}	f	\N	2026-11-22 17:00:24.356166+00	indexed	\N
\.


--
-- Data for Name: term; Type: TABLE DATA; Schema: kb_shop; Owner: -
--

COPY kb_shop.term (lexeme, chunks, of_chunks, of_changes) FROM stdin;
\.


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.chunk (id, document_id, words, tsv, text_config, ordinal, start_char, end_char, page, token_count, source_type, heading, content, metadata, content_hash) FROM stdin;
01a20433-a9d6-760c-bf39-145e77037975	01a20433-a9d5-74a3-8cca-2952bfe5a094	4	'pend':1A 'text':3 'vector':7 'wait':4	pg_catalog.english	0	0	31	\N	\N	document	\N	This text waits for its vector.	{"title": "Pending", "chunkIndex": 0}	\\x52b85f353680f3708dfe0ce0f976e95e
\.


--
-- Data for Name: corpus; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.corpus (id, text_config, chunks, words, changes) FROM stdin;
01a20433-a9d7-7c0c-94e5-eec86043a826	pg_catalog.english	1	4	1
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.document (id, source_id, source_type, source_key, title, content, mime_type, language, abstract, overview, metadata, content_hash, status, error_message, imported, created_at, updated_at, indexed_at) FROM stdin;
01a20433-a9d5-74a3-8cca-2952bfe5a094	\N	document	\N	Pending	This text waits for its vector.	\N	\N	\N	\N	{}	\\x8f224051934d0d0da8ae4dc3802bdf561dd92a11d73e56c71488adcc263a5b83	pending	\N	f	2026-11-22 17:00:24.405084+00	2026-11-22 17:00:24.405084+00	\N
\.


--
-- Data for Name: embedding; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.embedding (chunk_id, embedding) FROM stdin;
\.


--
-- Data for Name: setting; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.setting (name, value) FROM stdin;
id	01a20433-a9ca-7697-87fa-875cd002594d
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
\.


--
-- Data for Name: source; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.source (id, kind, location, title, options, auto_sync, sync_interval, last_synced_at, status, error_message) FROM stdin;
\.


--
-- Data for Name: term; Type: TABLE DATA; Schema: kb_waiting; Owner: -
--

COPY kb_waiting.term (lexeme, chunks, of_chunks, of_changes) FROM stdin;
\.


--
-- Data for Name: articles; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.articles (id, headline, body, topic) FROM stdin;
1	Kettle	It boils a litre of water in two minutes.	kitchen
2	Lamp	It shines for nine hours.	light
\.


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);


--
-- Name: corpus corpus_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.corpus
    ADD CONSTRAINT corpus_pkey PRIMARY KEY (id);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);


--
-- Name: embedding embedding_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);


--
-- Name: term term_pkey; Type: CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.term
    ADD CONSTRAINT term_pkey PRIMARY KEY (lexeme);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);


--
-- Name: corpus corpus_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.corpus
    ADD CONSTRAINT corpus_pkey PRIMARY KEY (id);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);


--
-- Name: embedding embedding_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);


--
-- Name: term term_pkey; Type: CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.term
    ADD CONSTRAINT term_pkey PRIMARY KEY (lexeme);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);


--
-- Name: corpus corpus_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.corpus
    ADD CONSTRAINT corpus_pkey PRIMARY KEY (id);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);


--
-- Name: embedding embedding_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);


--
-- Name: term term_pkey; Type: CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.term
    ADD CONSTRAINT term_pkey PRIMARY KEY (lexeme);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);


--
-- Name: corpus corpus_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.corpus
    ADD CONSTRAINT corpus_pkey PRIMARY KEY (id);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);


--
-- Name: embedding embedding_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);


--
-- Name: term term_pkey; Type: CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.term
    ADD CONSTRAINT term_pkey PRIMARY KEY (lexeme);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (id);


--
-- Name: corpus corpus_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.corpus
    ADD CONSTRAINT corpus_pkey PRIMARY KEY (id);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);


--
-- Name: embedding embedding_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.embedding
    ADD CONSTRAINT embedding_pkey PRIMARY KEY (chunk_id);


--
-- Name: setting setting_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.setting
    ADD CONSTRAINT setting_pkey PRIMARY KEY (name);


--
-- Name: source source_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);


--
-- Name: term term_pkey; Type: CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.term
    ADD CONSTRAINT term_pkey PRIMARY KEY (lexeme);


--
-- Name: articles articles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.articles
    ADD CONSTRAINT articles_pkey PRIMARY KEY (id);


--
-- Name: chunk_document_id; Type: INDEX; Schema: kb_drinks; Owner: -
--

CREATE INDEX chunk_document_id ON kb_drinks.chunk USING btree (document_id);


--
-- Name: chunk_keyword; Type: INDEX; Schema: kb_drinks; Owner: -
--

CREATE INDEX chunk_keyword ON kb_drinks.chunk USING gin (kb_rag.keyword_keys(tsv, words, (166)::double precision, (1.5)::double precision, (2)::double precision));


--
-- Name: chunk_metadata; Type: INDEX; Schema: kb_drinks; Owner: -
--

CREATE INDEX chunk_metadata ON kb_drinks.chunk USING gin (metadata jsonb_path_ops);


--
-- Name: document_source_key; Type: INDEX; Schema: kb_drinks; Owner: -
--

CREATE UNIQUE INDEX document_source_key ON kb_drinks.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);


--
-- Name: embedding_hnsw; Type: INDEX; Schema: kb_drinks; Owner: -
--

CREATE INDEX embedding_hnsw ON kb_drinks.embedding USING hnsw (embedding public.vector_cosine_ops);


--
-- Name: chunk_document_id; Type: INDEX; Schema: kb_handbook; Owner: -
--

CREATE INDEX chunk_document_id ON kb_handbook.chunk USING btree (document_id);


--
-- Name: chunk_keyword; Type: INDEX; Schema: kb_handbook; Owner: -
--

CREATE INDEX chunk_keyword ON kb_handbook.chunk USING gin (kb_rag.keyword_keys(tsv, words, (166)::double precision, (1.5)::double precision, (2)::double precision));


--
-- Name: chunk_metadata; Type: INDEX; Schema: kb_handbook; Owner: -
--

CREATE INDEX chunk_metadata ON kb_handbook.chunk USING gin (metadata jsonb_path_ops);


--
-- Name: document_source_key; Type: INDEX; Schema: kb_handbook; Owner: -
--

CREATE UNIQUE INDEX document_source_key ON kb_handbook.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);


--
-- Name: embedding_hnsw; Type: INDEX; Schema: kb_handbook; Owner: -
--

CREATE INDEX embedding_hnsw ON kb_handbook.embedding USING hnsw (embedding public.vector_cosine_ops);


--
-- Name: chunk_document_id; Type: INDEX; Schema: kb_old_notes; Owner: -
--

CREATE INDEX chunk_document_id ON kb_old_notes.chunk USING btree (document_id);


--
-- Name: chunk_keyword; Type: INDEX; Schema: kb_old_notes; Owner: -
--

CREATE INDEX chunk_keyword ON kb_old_notes.chunk USING gin (kb_rag.keyword_keys(tsv, words, (33)::double precision, (1.5)::double precision, (3)::double precision));


--
-- Name: chunk_metadata; Type: INDEX; Schema: kb_old_notes; Owner: -
--

CREATE INDEX chunk_metadata ON kb_old_notes.chunk USING gin (metadata jsonb_path_ops);


--
-- Name: document_source_key; Type: INDEX; Schema: kb_old_notes; Owner: -
--

CREATE UNIQUE INDEX document_source_key ON kb_old_notes.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);


--
-- Name: embedding_hnsw; Type: INDEX; Schema: kb_old_notes; Owner: -
--

CREATE INDEX embedding_hnsw ON kb_old_notes.embedding USING hnsw (embedding public.vector_cosine_ops);


--
-- Name: chunk_document_id; Type: INDEX; Schema: kb_shop; Owner: -
--

CREATE INDEX chunk_document_id ON kb_shop.chunk USING btree (document_id);


--
-- Name: chunk_keyword; Type: INDEX; Schema: kb_shop; Owner: -
--

CREATE INDEX chunk_keyword ON kb_shop.chunk USING gin (kb_rag.keyword_keys(tsv, words, (166)::double precision, (1.5)::double precision, (2)::double precision));


--
-- Name: chunk_metadata; Type: INDEX; Schema: kb_shop; Owner: -
--

CREATE INDEX chunk_metadata ON kb_shop.chunk USING gin (metadata jsonb_path_ops);


--
-- Name: document_source_key; Type: INDEX; Schema: kb_shop; Owner: -
--

CREATE UNIQUE INDEX document_source_key ON kb_shop.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);


--
-- Name: embedding_hnsw; Type: INDEX; Schema: kb_shop; Owner: -
--

CREATE INDEX embedding_hnsw ON kb_shop.embedding USING hnsw (embedding public.vector_cosine_ops);


--
-- Name: chunk_document_id; Type: INDEX; Schema: kb_waiting; Owner: -
--

CREATE INDEX chunk_document_id ON kb_waiting.chunk USING btree (document_id);


--
-- Name: chunk_keyword; Type: INDEX; Schema: kb_waiting; Owner: -
--

CREATE INDEX chunk_keyword ON kb_waiting.chunk USING gin (kb_rag.keyword_keys(tsv, words, (166)::double precision, (1.5)::double precision, (2)::double precision));


--
-- Name: chunk_metadata; Type: INDEX; Schema: kb_waiting; Owner: -
--

CREATE INDEX chunk_metadata ON kb_waiting.chunk USING gin (metadata jsonb_path_ops);


--
-- Name: document_source_key; Type: INDEX; Schema: kb_waiting; Owner: -
--

CREATE UNIQUE INDEX document_source_key ON kb_waiting.document USING btree (source_id, source_type, source_key) NULLS NOT DISTINCT WHERE (source_key IS NOT NULL);


--
-- Name: embedding_hnsw; Type: INDEX; Schema: kb_waiting; Owner: -
--

CREATE INDEX embedding_hnsw ON kb_waiting.embedding USING hnsw (embedding public.vector_cosine_ops);


--
-- Name: chunk kb_rag_count_delete; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_drinks.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9b9-75a1-976f-264e927464e3');


--
-- Name: TRIGGER kb_rag_count_delete ON chunk; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_delete ON kb_drinks.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_insert; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_drinks.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9b9-75a1-976f-264e927464e3');


--
-- Name: TRIGGER kb_rag_count_insert ON chunk; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_insert ON kb_drinks.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_truncate; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_drinks.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9b9-75a1-976f-264e927464e3');


--
-- Name: TRIGGER kb_rag_count_truncate ON chunk; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_truncate ON kb_drinks.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_update; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_drinks.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9b9-75a1-976f-264e927464e3');


--
-- Name: TRIGGER kb_rag_count_update ON chunk; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_update ON kb_drinks.chunk IS 'keeps the figures for BM25';


--
-- Name: document kb_rag_insert; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_drinks.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a20433-a9b9-75a1-976f-264e927464e3');


--
-- Name: TRIGGER kb_rag_insert ON document; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_insert ON kb_drinks.document IS 'chunks and embeds inserted documents';


--
-- Name: document kb_rag_prepare; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_drinks.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();


--
-- Name: TRIGGER kb_rag_prepare ON document; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_prepare ON kb_drinks.document IS 'fills the columns that kb_rag keeps';


--
-- Name: document kb_rag_update; Type: TRIGGER; Schema: kb_drinks; Owner: -
--

CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_drinks.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a20433-a9b9-75a1-976f-264e927464e3');


--
-- Name: TRIGGER kb_rag_update ON document; Type: COMMENT; Schema: kb_drinks; Owner: -
--

COMMENT ON TRIGGER kb_rag_update ON kb_drinks.document IS 'chunks and embeds what changed';


--
-- Name: chunk kb_rag_count_delete; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_handbook.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a93a-7770-92cd-9b9be07c0f18');


--
-- Name: TRIGGER kb_rag_count_delete ON chunk; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_delete ON kb_handbook.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_insert; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_handbook.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a93a-7770-92cd-9b9be07c0f18');


--
-- Name: TRIGGER kb_rag_count_insert ON chunk; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_insert ON kb_handbook.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_truncate; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_handbook.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a93a-7770-92cd-9b9be07c0f18');


--
-- Name: TRIGGER kb_rag_count_truncate ON chunk; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_truncate ON kb_handbook.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_update; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_handbook.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a93a-7770-92cd-9b9be07c0f18');


--
-- Name: TRIGGER kb_rag_count_update ON chunk; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_update ON kb_handbook.chunk IS 'keeps the figures for BM25';


--
-- Name: document kb_rag_insert; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_handbook.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a20433-a93a-7770-92cd-9b9be07c0f18');


--
-- Name: TRIGGER kb_rag_insert ON document; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_insert ON kb_handbook.document IS 'chunks and embeds inserted documents';


--
-- Name: document kb_rag_prepare; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_handbook.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();


--
-- Name: TRIGGER kb_rag_prepare ON document; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_prepare ON kb_handbook.document IS 'fills the columns that kb_rag keeps';


--
-- Name: document kb_rag_update; Type: TRIGGER; Schema: kb_handbook; Owner: -
--

CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_handbook.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a20433-a93a-7770-92cd-9b9be07c0f18');


--
-- Name: TRIGGER kb_rag_update ON document; Type: COMMENT; Schema: kb_handbook; Owner: -
--

COMMENT ON TRIGGER kb_rag_update ON kb_handbook.document IS 'chunks and embeds what changed';


--
-- Name: chunk kb_rag_count_delete; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_old_notes.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a94b-7cf5-89ba-7b8db489bd5f');


--
-- Name: TRIGGER kb_rag_count_delete ON chunk; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_delete ON kb_old_notes.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_insert; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_old_notes.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a94b-7cf5-89ba-7b8db489bd5f');


--
-- Name: TRIGGER kb_rag_count_insert ON chunk; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_insert ON kb_old_notes.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_truncate; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_old_notes.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a94b-7cf5-89ba-7b8db489bd5f');


--
-- Name: TRIGGER kb_rag_count_truncate ON chunk; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_truncate ON kb_old_notes.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_update; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_old_notes.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a94b-7cf5-89ba-7b8db489bd5f');


--
-- Name: TRIGGER kb_rag_count_update ON chunk; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_update ON kb_old_notes.chunk IS 'keeps the figures for BM25';


--
-- Name: document kb_rag_insert; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_old_notes.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a20433-a94b-7cf5-89ba-7b8db489bd5f');


--
-- Name: TRIGGER kb_rag_insert ON document; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_insert ON kb_old_notes.document IS 'chunks and embeds inserted documents';


--
-- Name: document kb_rag_prepare; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_old_notes.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();


--
-- Name: TRIGGER kb_rag_prepare ON document; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_prepare ON kb_old_notes.document IS 'fills the columns that kb_rag keeps';


--
-- Name: document kb_rag_update; Type: TRIGGER; Schema: kb_old_notes; Owner: -
--

CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_old_notes.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a20433-a94b-7cf5-89ba-7b8db489bd5f');


--
-- Name: TRIGGER kb_rag_update ON document; Type: COMMENT; Schema: kb_old_notes; Owner: -
--

COMMENT ON TRIGGER kb_rag_update ON kb_old_notes.document IS 'chunks and embeds what changed';


--
-- Name: chunk kb_rag_count_delete; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_shop.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a999-7c93-a6a0-c64caf3e21b8');


--
-- Name: TRIGGER kb_rag_count_delete ON chunk; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_delete ON kb_shop.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_insert; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_shop.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a999-7c93-a6a0-c64caf3e21b8');


--
-- Name: TRIGGER kb_rag_count_insert ON chunk; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_insert ON kb_shop.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_truncate; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_shop.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a999-7c93-a6a0-c64caf3e21b8');


--
-- Name: TRIGGER kb_rag_count_truncate ON chunk; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_truncate ON kb_shop.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_update; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_shop.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a999-7c93-a6a0-c64caf3e21b8');


--
-- Name: TRIGGER kb_rag_count_update ON chunk; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_update ON kb_shop.chunk IS 'keeps the figures for BM25';


--
-- Name: document kb_rag_insert; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_shop.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a20433-a999-7c93-a6a0-c64caf3e21b8');


--
-- Name: TRIGGER kb_rag_insert ON document; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_insert ON kb_shop.document IS 'chunks and embeds inserted documents';


--
-- Name: document kb_rag_prepare; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_shop.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();


--
-- Name: TRIGGER kb_rag_prepare ON document; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_prepare ON kb_shop.document IS 'fills the columns that kb_rag keeps';


--
-- Name: document kb_rag_update; Type: TRIGGER; Schema: kb_shop; Owner: -
--

CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_shop.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a20433-a999-7c93-a6a0-c64caf3e21b8');


--
-- Name: TRIGGER kb_rag_update ON document; Type: COMMENT; Schema: kb_shop; Owner: -
--

COMMENT ON TRIGGER kb_rag_update ON kb_shop.document IS 'chunks and embeds what changed';


--
-- Name: chunk kb_rag_count_delete; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON kb_waiting.chunk REFERENCING OLD TABLE AS old_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9ca-7697-87fa-875cd002594d');


--
-- Name: TRIGGER kb_rag_count_delete ON chunk; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_delete ON kb_waiting.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_insert; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON kb_waiting.chunk REFERENCING NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9ca-7697-87fa-875cd002594d');


--
-- Name: TRIGGER kb_rag_count_insert ON chunk; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_insert ON kb_waiting.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_truncate; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON kb_waiting.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9ca-7697-87fa-875cd002594d');


--
-- Name: TRIGGER kb_rag_count_truncate ON chunk; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_truncate ON kb_waiting.chunk IS 'keeps the figures for BM25';


--
-- Name: chunk kb_rag_count_update; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON kb_waiting.chunk REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted('01a20433-a9ca-7697-87fa-875cd002594d');


--
-- Name: TRIGGER kb_rag_count_update ON chunk; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_count_update ON kb_waiting.chunk IS 'keeps the figures for BM25';


--
-- Name: document kb_rag_insert; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_insert AFTER INSERT ON kb_waiting.document REFERENCING NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted('01a20433-a9ca-7697-87fa-875cd002594d');


--
-- Name: TRIGGER kb_rag_insert ON document; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_insert ON kb_waiting.document IS 'chunks and embeds inserted documents';


--
-- Name: document kb_rag_prepare; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON kb_waiting.document FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();


--
-- Name: TRIGGER kb_rag_prepare ON document; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_prepare ON kb_waiting.document IS 'fills the columns that kb_rag keeps';


--
-- Name: document kb_rag_update; Type: TRIGGER; Schema: kb_waiting; Owner: -
--

CREATE TRIGGER kb_rag_update AFTER UPDATE ON kb_waiting.document REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated('01a20433-a9ca-7697-87fa-875cd002594d');


--
-- Name: TRIGGER kb_rag_update ON document; Type: COMMENT; Schema: kb_waiting; Owner: -
--

COMMENT ON TRIGGER kb_rag_update ON kb_waiting.document IS 'chunks and embeds what changed';


--
-- Name: articles kb_rag_attached_delete_52aa342f; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER kb_rag_attached_delete_52aa342f AFTER DELETE ON public.articles REFERENCING OLD TABLE AS old_row FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a20433-a999-7c93-a6a0-c64caf3e21b8', '01a20433-a9a8-79ba-9fdc-53a852aa342f');


--
-- Name: TRIGGER kb_rag_attached_delete_52aa342f ON articles; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TRIGGER kb_rag_attached_delete_52aa342f ON public.articles IS 'keeps the documents of this table in knowledge base shop in step';


--
-- Name: articles kb_rag_attached_insert_52aa342f; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER kb_rag_attached_insert_52aa342f AFTER INSERT ON public.articles REFERENCING NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a20433-a999-7c93-a6a0-c64caf3e21b8', '01a20433-a9a8-79ba-9fdc-53a852aa342f');


--
-- Name: TRIGGER kb_rag_attached_insert_52aa342f ON articles; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TRIGGER kb_rag_attached_insert_52aa342f ON public.articles IS 'keeps the documents of this table in knowledge base shop in step';


--
-- Name: articles kb_rag_attached_truncate_52aa342f; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER kb_rag_attached_truncate_52aa342f AFTER TRUNCATE ON public.articles FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a20433-a999-7c93-a6a0-c64caf3e21b8', '01a20433-a9a8-79ba-9fdc-53a852aa342f');


--
-- Name: TRIGGER kb_rag_attached_truncate_52aa342f ON articles; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TRIGGER kb_rag_attached_truncate_52aa342f ON public.articles IS 'keeps the documents of this table in knowledge base shop in step';


--
-- Name: articles kb_rag_attached_update_52aa342f; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER kb_rag_attached_update_52aa342f AFTER UPDATE ON public.articles REFERENCING OLD TABLE AS old_row NEW TABLE AS new_row FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed('01a20433-a999-7c93-a6a0-c64caf3e21b8', '01a20433-a9a8-79ba-9fdc-53a852aa342f');


--
-- Name: TRIGGER kb_rag_attached_update_52aa342f ON articles; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TRIGGER kb_rag_attached_update_52aa342f ON public.articles IS 'keeps the documents of this table in knowledge base shop in step';


--
-- Name: chunk chunk_document_id_fkey; Type: FK CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_drinks.document(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: document document_source_id_fkey; Type: FK CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_drinks.source(id) ON DELETE CASCADE;


--
-- Name: embedding embedding_chunk_id_fkey; Type: FK CONSTRAINT; Schema: kb_drinks; Owner: -
--

ALTER TABLE ONLY kb_drinks.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_drinks.chunk(id) ON DELETE CASCADE;


--
-- Name: chunk chunk_document_id_fkey; Type: FK CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_handbook.document(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: document document_source_id_fkey; Type: FK CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_handbook.source(id) ON DELETE CASCADE;


--
-- Name: embedding embedding_chunk_id_fkey; Type: FK CONSTRAINT; Schema: kb_handbook; Owner: -
--

ALTER TABLE ONLY kb_handbook.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_handbook.chunk(id) ON DELETE CASCADE;


--
-- Name: chunk chunk_document_id_fkey; Type: FK CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_old_notes.document(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: document document_source_id_fkey; Type: FK CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_old_notes.source(id) ON DELETE CASCADE;


--
-- Name: embedding embedding_chunk_id_fkey; Type: FK CONSTRAINT; Schema: kb_old_notes; Owner: -
--

ALTER TABLE ONLY kb_old_notes.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_old_notes.chunk(id) ON DELETE CASCADE;


--
-- Name: chunk chunk_document_id_fkey; Type: FK CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_shop.document(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: document document_source_id_fkey; Type: FK CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_shop.source(id) ON DELETE CASCADE;


--
-- Name: embedding embedding_chunk_id_fkey; Type: FK CONSTRAINT; Schema: kb_shop; Owner: -
--

ALTER TABLE ONLY kb_shop.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_shop.chunk(id) ON DELETE CASCADE;


--
-- Name: chunk chunk_document_id_fkey; Type: FK CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.chunk
    ADD CONSTRAINT chunk_document_id_fkey FOREIGN KEY (document_id) REFERENCES kb_waiting.document(id) ON UPDATE CASCADE ON DELETE CASCADE;


--
-- Name: document document_source_id_fkey; Type: FK CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.document
    ADD CONSTRAINT document_source_id_fkey FOREIGN KEY (source_id) REFERENCES kb_waiting.source(id) ON DELETE CASCADE;


--
-- Name: embedding embedding_chunk_id_fkey; Type: FK CONSTRAINT; Schema: kb_waiting; Owner: -
--

ALTER TABLE ONLY kb_waiting.embedding
    ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES kb_waiting.chunk(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--


