-- ALTER EXTENSION kb_rag UPDATE from 0.3.0. docs/releasing.md describes how such a script is made and tested.

-- No type but pgvector's, as in a new installation: checked before any function is created here.
DO $$
BEGIN
    -- The functions refer to the type by name, and their schema is searched before that of pgvector.
    IF (
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'vector'
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regtype('vector')
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ) OPERATOR(pg_catalog.=) 0 THEN
        RAISE EXCEPTION 'a type named "vector" that is not pgvector''s is in the schema of the extension'
            USING ERRCODE = '42710', HINT = 'Drop the type, and run the update again.';
    END IF;
END
$$;

-- It does not keep kb_rag from working.
DO $$
DECLARE
    old pg_catalog.text := (
        SELECT extversion FROM pg_catalog.pg_extension
        WHERE extname OPERATOR(pg_catalog.=) 'vector'
            AND pg_catalog.string_to_array(pg_catalog.substring(extversion, '^[0-9.]+'), '.')::pg_catalog.int4[] OPERATOR(pg_catalog.<) ARRAY[0, 8, 2]
    );
BEGIN
    IF old IS NOT NULL THEN
        RAISE WARNING 'pgvector % is installed: parallel builds of HNSW indexes can crash the server or reveal data of other tables (CVE-2026-3172)', old
            USING HINT = 'Install pgvector 0.8.2 or later and run ALTER EXTENSION vector UPDATE. Until then, set max_parallel_maintenance_workers to 0.';
    END IF;
END
$$;

-- All tables of the catalog at once, or none: a worker that reads two of them would end in a deadlock with a script that locks one after the other.
-- Where a transaction keeps one for half a minute, the script waits for it.
DO $$
DECLARE
    tables pg_catalog.text := (
        SELECT pg_catalog.string_agg(pg_catalog.format('kb_rag.%I', c.relname), ', ' ORDER BY c.relname)
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.objid AND c.relkind OPERATOR(pg_catalog.=) 'r'
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND c.relnamespace OPERATOR(pg_catalog.=) 'kb_rag'::pg_catalog.regnamespace
    );
BEGIN
    FOR attempt IN 1 .. 600 LOOP
        BEGIN
            EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', tables);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_catalog.pg_sleep(0.05);
        END;
    END LOOP;
    EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', tables);
END
$$;

COMMENT ON SCHEMA kb_rag IS 'catalog of the extension kb_rag, with the views status, failed, source_status, usage_daily, current_version and cluster; its functions are internal';
COMMENT ON COLUMN kb_rag.status.paused IS 'why its provider is not called, its documents are not worked on, or its URLs are not fetched, and for how long';
COMMENT ON FUNCTION @extschema@.kb_source_sync IS 'has a source fetched again, or those that are due; with force, pages are removed even if most would be, and a source that a server asked to wait is tried once; returns how many were queued';

CREATE FUNCTION kb_rag.iso_time(value text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'iso_time_wrapper';
COMMENT ON FUNCTION kb_rag.iso_time(text) IS 'the time of a text in ISO 8601, in UTC where it has no zone; NULL for any other text';
CREATE FUNCTION kb_rag.filter_number(metadata jsonb, key text) RETURNS numeric
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'filter_number_wrapper';
COMMENT ON FUNCTION kb_rag.filter_number(jsonb, text) IS 'the number at a key of the metadata, or at keys separated by dots; NULL for a value of another type. An index on it makes ranges in filters fast';
CREATE FUNCTION kb_rag.filter_time(metadata jsonb, key text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'filter_time_wrapper';
COMMENT ON FUNCTION kb_rag.filter_time(jsonb, text) IS 'the time in ISO 8601 at a key of the metadata, or at keys separated by dots; NULL for any other value. An index on it makes ranges of times in filters fast';

CREATE TABLE kb_rag.web_wait (
    origin text PRIMARY KEY,
    until timestamptz NOT NULL,
    reason text NOT NULL
);
COMMENT ON TABLE kb_rag.web_wait IS 'waits that hosts asked for; never dumped';
COMMENT ON COLUMN kb_rag.web_wait.origin IS 'scheme, host and port';
COMMENT ON COLUMN kb_rag.web_wait.until IS 'when it is asked again: in force while it is next_at of the host';
COMMENT ON COLUMN kb_rag.web_wait.reason IS 'its answer, which said how long to wait';

CREATE TABLE kb_rag.web_try (
    source_id uuid PRIMARY KEY,
    is_open boolean NOT NULL,
    used_at timestamptz
);
COMMENT ON TABLE kb_rag.web_try IS 'the sources that kb_source_sync with force and kb_retry have tried in spite of waits, or that are to be tried; never dumped';
COMMENT ON COLUMN kb_rag.web_try.source_id IS 'the source';
COMMENT ON COLUMN kb_rag.web_try.is_open IS 'whether the next request for it is sent in spite of waits';
COMMENT ON COLUMN kb_rag.web_try.used_at IS 'when one was sent last in spite of a wait: at most one is within a minute';

CREATE TABLE kb_rag.web_slow (
    origin text PRIMARY KEY,
    until timestamptz NOT NULL
);
COMMENT ON TABLE kb_rag.web_slow IS 'the hosts whose answers came too slowly, or not at all: pages of others come first; never dumped';
COMMENT ON COLUMN kb_rag.web_slow.origin IS 'scheme, host and port';
COMMENT ON COLUMN kb_rag.web_slow.until IS 'until when';

CREATE TABLE kb_rag.limited_grant (
    provider text NOT NULL,
    role text NOT NULL,
    agent_id uuid,
    auto_sync boolean NOT NULL,
    CONSTRAINT limited_grant_key UNIQUE NULLS NOT DISTINCT (provider, role, agent_id)
);
COMMENT ON TABLE kb_rag.limited_grant IS 'the roles that may have some pages fetched through a provider: those of an agent, or without fetching them again; written by kb_provider_grant and kb_provider_revoke';
COMMENT ON COLUMN kb_rag.limited_grant.provider IS 'name of the provider';
COMMENT ON COLUMN kb_rag.limited_grant.role IS 'a role, or public for all roles';
COMMENT ON COLUMN kb_rag.limited_grant.agent_id IS 'the agent whose URLs it is for; NULL for all URLs';
COMMENT ON COLUMN kb_rag.limited_grant.auto_sync IS 'whether it is also for URLs that are fetched again when sync_interval has passed';
ALTER TABLE kb_rag.limited_grant ENABLE ROW LEVEL SECURITY;
SELECT pg_catalog.pg_extension_config_dump('kb_rag.limited_grant', '');

CREATE TABLE kb_rag.agent (
    agent_id uuid PRIMARY KEY,
    use_knowledge_base boolean NOT NULL
);
COMMENT ON TABLE kb_rag.agent IS 'the agents that kb_agent_configure was called for, while knowledge bases are attached to them';
COMMENT ON COLUMN kb_rag.agent.agent_id IS 'the agent';
COMMENT ON COLUMN kb_rag.agent.use_knowledge_base IS 'whether its searches find anything, and workers fetch and embed what is for it in the knowledge bases attached to it; true for agents without a row';
CREATE TABLE kb_rag.held_job (
    knowledge_base_id uuid NOT NULL,
    kind text NOT NULL,
    target uuid NOT NULL,
    agent_id uuid NOT NULL,
    PRIMARY KEY (knowledge_base_id, kind, target)
);
COMMENT ON TABLE kb_rag.held_job IS 'work that waits while its agent does not use its knowledge bases: workers take it out of the queue, and put it back later';
COMMENT ON COLUMN kb_rag.held_job.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.held_job.kind IS 'embed, source or fetch, as in kb_rag.job';
COMMENT ON COLUMN kb_rag.held_job.target IS 'the document, the source or the page';
COMMENT ON COLUMN kb_rag.held_job.agent_id IS 'the agent that it waits for';
CREATE TABLE kb_rag.unattached_agent (
    knowledge_base_id uuid NOT NULL,
    agent_id uuid NOT NULL,
    name text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
CREATE INDEX unattached_agent_asked_at ON kb_rag.unattached_agent (knowledge_base_id, asked_at);
COMMENT ON TABLE kb_rag.unattached_agent IS 'agents to which no knowledge base was attached when kb_snippets answered them from its fallback_base: once an hour, and the last 1,000 of a knowledge base; never dumped';
COMMENT ON COLUMN kb_rag.unattached_agent.knowledge_base_id IS 'the knowledge base that they were answered from';
COMMENT ON COLUMN kb_rag.unattached_agent.agent_id IS 'the agent';
COMMENT ON COLUMN kb_rag.unattached_agent.name IS 'the beginning of its name, as it was given';
COMMENT ON COLUMN kb_rag.unattached_agent.asked_at IS 'when';
SELECT pg_catalog.pg_extension_config_dump('kb_rag.agent', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.held_job', 'WHERE kind <> ALL (ARRAY[''source'', ''fetch''])');

DO $$
DECLARE
    entry name;
BEGIN
    FOREACH entry IN ARRAY ARRAY['agent', 'held_job', 'unattached_agent', 'web_wait', 'web_try', 'web_slow']::pg_catalog.name[] LOOP
        EXECUTE pg_catalog.format('ALTER TABLE kb_rag.%I ENABLE ROW LEVEL SECURITY', entry);
        EXECUTE pg_catalog.format('CREATE POLICY readers ON kb_rag.%I FOR SELECT USING (true)', entry);
    END LOOP;
END
$$;

-- What hosts asked for up to a day is not known any more: they are asked again, and say so again.
UPDATE kb_rag.web_host SET next_at = pg_catalog.now() WHERE next_at OPERATOR(pg_catalog.>) (pg_catalog.now() OPERATOR(pg_catalog.+) '1 minute'::interval);
UPDATE kb_rag.job SET due_at = pg_catalog.now()
WHERE kind OPERATOR(pg_catalog.=) ANY (ARRAY['source', 'fetch']) AND NOT failed AND worker IS NULL
    AND due_at OPERATOR(pg_catalog.>) (pg_catalog.now() OPERATOR(pg_catalog.+) '1 minute'::interval);

ALTER TABLE kb_rag.web_page ADD COLUMN document_key text, ADD COLUMN parted_from uuid;
COMMENT ON COLUMN kb_rag.web_page.document_id IS 'the document made from it, which pages with the same text share';
COMMENT ON COLUMN kb_rag.web_page.document_key IS 'the URL by which its document may be known: after redirects, or its canonical one; NULL of a page that only kb_rag 0.3 has read';
COMMENT ON COLUMN kb_rag.web_page.parted_from IS 'the document that it shared with other pages until its text changed';

-- Existing bases keep their lexemes.
ALTER TABLE kb_rag.knowledge_base ADD COLUMN fold_accents boolean NOT NULL DEFAULT true, ADD COLUMN part_weight float8 NOT NULL DEFAULT 0.25,
    ADD COLUMN lexeme_format int NOT NULL DEFAULT 1,
    ADD COLUMN answer_threshold float8 CHECK (answer_threshold OPERATOR(pg_catalog.>) -1 AND answer_threshold OPERATOR(pg_catalog.<) 1),
    ADD COLUMN log_searches boolean NOT NULL DEFAULT false,
    ADD COLUMN next_chunk_size int, ADD COLUMN next_chunk_overlap int, ADD COLUMN next_chunk_unit text, ADD COLUMN next_chunk_strategy text,
    ADD COLUMN summaries text;
COMMENT ON COLUMN kb_rag.knowledge_base.next_model IS 'the model from the end of the pending change on, once all chunks have its vectors: another one, or the same for other chunks; NULL if no change is pending';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_size IS 'chunk_size from the end of the pending change on; NULL if it does not change how texts are cut, as are the next three columns';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_overlap IS 'chunk_overlap then';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_unit IS 'chunk_unit then';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_strategy IS 'chunk_strategy then';
COMMENT ON COLUMN kb_rag.knowledge_base.log_searches IS 'whether searches that cover only knowledge bases with this setting are logged, even while kb_rag.log_searches is off';
COMMENT ON COLUMN kb_rag.knowledge_base.summaries IS 'the chat model that makes abstract and overview of documents, as provider/model; NULL for none';
COMMENT ON TABLE kb_rag.search_log IS 'calls of kb_call_tool, kb_snippets, kb_retrieve and kb_rag.logged_search while kb_rag.log_searches is on, or of knowledge bases that all have log_searches; rows older than kb_rag.log_retention are deleted; not dumped';
COMMENT ON COLUMN kb_rag.search_log.tool IS 'the tool, kb_snippets, kb_retrieve, or kb_search for a search over HTTP';
COMMENT ON VIEW kb_rag.search_history IS 'the log of kb_call_tool, kb_snippets, kb_retrieve and kb_rag.logged_search: calls that searched only knowledge bases you administer, and your own calls; none whose knowledge bases hide documents from you by row security';
COMMENT ON COLUMN kb_rag.search_history.tool IS 'the tool, kb_snippets, kb_retrieve, or kb_search for a search over HTTP';
CREATE FUNCTION kb_rag.logged_search(
    query text, knowledge_base text DEFAULT NULL, mode text DEFAULT 'hybrid', match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}',
    source_type text DEFAULT NULL, agent_id uuid DEFAULT NULL, fusion text DEFAULT 'relative', max_per_document bigint DEFAULT NULL,
    syntax text DEFAULT 'plain', match_threshold double precision DEFAULT NULL, match_offset bigint DEFAULT 0, neighbors int DEFAULT 0,
    knowledge_bases text[] DEFAULT NULL, duplicates text DEFAULT 'keep', snippet boolean DEFAULT false, session_id text DEFAULT NULL
) RETURNS TABLE (
    chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision,
    similarity double precision, keyword_score double precision, semantic_rank int, keyword_rank int, metadata jsonb, source_type text,
    heading text, page int, ordinal int, start_char int, end_char int, relevance double precision, context text, snippet text,
    duplicates jsonb
) LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 5 AS 'MODULE_PATHNAME', 'logged_search_wrapper';
COMMENT ON FUNCTION kb_rag.logged_search IS 'kb_search with a row of the log, for applications whose users search, as kb-rag serve does';
COMMENT ON COLUMN kb_rag.knowledge_base.answer_threshold IS 'the similarity that the best result must exceed for kb_context, tools and snippets to give any; NULL for that of the model, or none beside a match_threshold';
COMMENT ON COLUMN kb_rag.knowledge_base.fold_accents IS 'whether words are also found without their accents; without effect in lexeme format 1';
COMMENT ON COLUMN kb_rag.knowledge_base.part_weight IS 'weight of a part of a word, relative to a word; without effect in lexeme format 1';
COMMENT ON COLUMN kb_rag.knowledge_base.lexeme_format IS 'the format of the lexemes of chunks: 1, that of kb_rag 0.3, or 2; chunks that were written in another one keep it until a worker has changed them';
CREATE FUNCTION kb_rag.to_tsvector(config regconfig, document text, lexeme_format int, fold_accents boolean DEFAULT true) RETURNS tsvector
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'to_tsvector_in_format_wrapper';
COMMENT ON FUNCTION kb_rag.to_tsvector(regconfig, text, int, boolean) IS 'the lexemes of a text in a format: 1, as with two arguments, or 2, that of new knowledge bases; none for NULL';
CREATE FUNCTION kb_rag.chunk_tsv(config regconfig, title text, heading text, content text, lexeme_format int, fold_accents boolean) RETURNS tsvector
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'chunk_tsv_wrapper';
COMMENT ON FUNCTION kb_rag.chunk_tsv(regconfig, text, text, text, int, boolean) IS 'the lexemes of a chunk in a format: those of its title (weight A), heading (B) and content (D)';

DO $$
DECLARE
    base_schema name;
BEGIN
    FOR base_schema IN
        SELECT k.schema FROM kb_rag.knowledge_base k
        WHERE EXISTS (
            SELECT FROM pg_catalog.pg_attribute a
            JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) a.attrelid AND c.relkind OPERATOR(pg_catalog.=) 'r'
            WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('%I.chunk', k.schema))
                AND a.attname OPERATOR(pg_catalog.=) 'text_config' AND NOT a.attisdropped
        )
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.chunk.text_config IS %L', base_schema,
            'name of the analyzer that made tsv: the text search configuration of the document''s language, or of the base, followed by /2 in lexeme format 2, or by /2f where accents are folded');
    END LOOP;
END
$$;

-- What read and cut each document. Those of existing documents are not known: NULL, which counts as outdated. No row is written.
-- A column of this name that a user has added stays as it is.
DO $$
DECLARE
    missing record;
BEGIN
    FOR missing IN
        SELECT k.schema, n.name, n.kind, n.comment
        FROM kb_rag.knowledge_base k
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('%I.document', k.schema))
            AND c.relkind OPERATOR(pg_catalog.=) 'r'
        CROSS JOIN (VALUES
            (1, 'reader', 'text', 'what read the file that content comes from: docx, firecrawl, html, markdown, notebook, pdf, subtitles or text; NULL for a text as given, after content changed, and where kb_rag 0.3 read it; kept by a trigger'),
            (2, 'reader_version', 'int4', 'version of the reader then; kb_rag.current_version has those of today'),
            (3, 'chunker_version', 'int4', 'version of the chunker that cut the chunks; NULL where kb_rag 0.3 cut them, and for imported ones. An UPDATE that changes it has the text cut again; kept by a trigger')
        ) n (place, name, kind, comment)
        WHERE NOT EXISTS (
            SELECT FROM pg_catalog.pg_attribute a
            WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) n.name::pg_catalog.name AND NOT a.attisdropped
        )
        ORDER BY k.schema, n.place
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %I.document ADD COLUMN %I pg_catalog.%I', missing.schema, missing.name, missing.kind);
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.document.%I IS %L', missing.schema, missing.name, missing.comment);
    END LOOP;
END
$$;

-- The header of the table that a chunk is from. No row is written: chunks get one when they are cut again.
DO $$
DECLARE
    missing record;
BEGIN
    FOR missing IN
        SELECT k.schema
        FROM kb_rag.knowledge_base k
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('%I.chunk', k.schema))
            AND c.relkind OPERATOR(pg_catalog.=) 'r'
        WHERE NOT EXISTS (
            SELECT FROM pg_catalog.pg_attribute a
            WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attname OPERATOR(pg_catalog.=) 'context' AND NOT a.attisdropped
        )
        ORDER BY k.schema
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %I.chunk ADD COLUMN context pg_catalog.text', missing.schema);
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.chunk.context IS %L', missing.schema,
            'of a chunk that begins among the rows of a table: its header rows, and cells above that reach into it; else NULL');
    END LOOP;
END
$$;

DO $$
DECLARE
    chunks pg_catalog.regclass;
BEGIN
    FOR chunks IN
        SELECT c.oid::pg_catalog.regclass
        FROM kb_rag.knowledge_base k
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('%I.chunk', k.schema))
            AND c.relkind OPERATOR(pg_catalog.=) 'r'
        WHERE 2 OPERATOR(pg_catalog.=) (
            SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a
            WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped AND a.attname OPERATOR(pg_catalog.=) ANY ('{tsv,content_hash}'::pg_catalog.name[])
        )
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.tsv IS %L', chunks,
            'lexemes of title (weight A), heading (B), context and content (D); text without spaces as overlapping bigrams');
        EXECUTE pg_catalog.format('COMMENT ON COLUMN %s.content_hash IS %L', chunks,
            'hash of what is embedded and indexed: title, heading, context and content');
    END LOOP;
END
$$;

ALTER TABLE kb_rag.job DROP CONSTRAINT job_kind_check,
    ADD CONSTRAINT job_kind_check CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill', 'index', 'source', 'fetch', 'merge', 'compact', 'repair', 'lexemes', 'summary']));
ALTER TABLE kb_rag.pause DROP CONSTRAINT pause_kind_check,
    ADD CONSTRAINT pause_kind_check CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill', 'index', 'source', 'fetch', 'merge', 'compact', 'repair', 'lexemes', 'summary', 'statistics']));

-- Functions with a new argument are other functions. The old ones are renamed, and at the end dropped. Their names and types are
-- taken from the catalog: pgvector may be in any schema.
DO $$
DECLARE
    old record;
BEGIN
    FOR old IN
        SELECT p.oid::pg_catalog.regprocedure AS signature, p.proname
        FROM pg_catalog.pg_proc p
        JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) p.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        WHERE p.proname OPERATOR(pg_catalog.=) ANY ('{kb_chunk,kb_hybrid_search,kb_search,kb_search_documents,kb_context,kb_create,kb_configure,kb_list,kb_reconcile,kb_estimate,kb_browse,kb_attach,kb_expose,kb_tools,kb_agent_list,kb_prompt_set,kb_snippets,kb_provider_grant,kb_provider_revoke}'::pg_catalog.name[])
    LOOP
        EXECUTE pg_catalog.format('ALTER FUNCTION %s RENAME TO %I', old.signature, old.proname OPERATOR(pg_catalog.||) '_0_3');
    END LOOP;
END
$$;

CREATE FUNCTION @extschema@.kb_chunk(content text, chunk_size integer DEFAULT 1000, chunk_overlap integer DEFAULT 200, unit text DEFAULT 'char'::pg_catalog.text, strategy text DEFAULT 'text'::pg_catalog.text)
 RETURNS TABLE(ordinal integer, content text, start_char integer, end_char integer, heading text, context text)
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10
AS 'MODULE_PATHNAME', 'kb_chunk_with_context_wrapper';

CREATE FUNCTION @extschema@.kb_hybrid_search(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::pg_catalog.text, fusion text DEFAULT 'rrf'::pg_catalog.text, max_per_document bigint DEFAULT NULL, syntax text DEFAULT 'plain'::pg_catalog.text, match_threshold double precision DEFAULT NULL, match_offset bigint DEFAULT 0)
 RETURNS TABLE(chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision, similarity double precision, keyword_score double precision, semantic_rank integer, keyword_rank integer, metadata jsonb, source_type text, heading text, page integer, ordinal integer, start_char integer, end_char integer, relevance double precision, context text)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_hybrid_search_with_relevance_wrapper';

CREATE FUNCTION @extschema@.kb_search(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, mode text DEFAULT 'hybrid'::pg_catalog.text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::pg_catalog.text, fusion text DEFAULT 'relative'::pg_catalog.text, max_per_document bigint DEFAULT NULL, syntax text DEFAULT 'plain'::pg_catalog.text, match_threshold double precision DEFAULT NULL, match_offset bigint DEFAULT 0, neighbors integer DEFAULT 0, knowledge_bases text[] DEFAULT NULL::pg_catalog.text[], duplicates text DEFAULT 'keep'::pg_catalog.text, snippet boolean DEFAULT false)
 RETURNS TABLE(chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision, similarity double precision, keyword_score double precision, semantic_rank integer, keyword_rank integer, metadata jsonb, source_type text, heading text, page integer, ordinal integer, start_char integer, end_char integer, relevance double precision, context text, snippet text, duplicates jsonb)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_search_with_relevance_wrapper';

CREATE FUNCTION @extschema@.kb_search_documents(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, match_count bigint DEFAULT 5, mode text DEFAULT 'hybrid'::pg_catalog.text, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, match_threshold double precision DEFAULT NULL, level text DEFAULT 'overview'::pg_catalog.text, match_offset bigint DEFAULT 0, knowledge_bases text[] DEFAULT NULL::pg_catalog.text[], duplicates text DEFAULT 'keep'::pg_catalog.text, snippet boolean DEFAULT false)
 RETURNS TABLE(document_id uuid, knowledge_base text, title text, source text, source_type text, abstract text, overview text, text text, score double precision, similarity double precision, best_chunk_id uuid, metadata jsonb, relevance double precision, snippet text, duplicates jsonb)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_search_documents_with_relevance_wrapper';

CREATE FUNCTION @extschema@.kb_attach(source regclass, knowledge_base text, content name, title name DEFAULT NULL::pg_catalog.name, metadata name[] DEFAULT NULL::pg_catalog.name[], source_type text DEFAULT 'table'::pg_catalog.text, row_security text DEFAULT 'follow'::pg_catalog.text, mime_type text DEFAULT NULL::pg_catalog.text, language text DEFAULT NULL::pg_catalog.text, more_content name[] DEFAULT NULL::pg_catalog.name[], url text DEFAULT NULL::pg_catalog.text, condition text DEFAULT NULL::pg_catalog.text, embedding name DEFAULT NULL::pg_catalog.name, wait boolean DEFAULT false, if_not_exists boolean DEFAULT false)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_attach_with_options_wrapper';

CREATE FUNCTION @extschema@.kb_expose(knowledge_base text, layout text DEFAULT 'pgvector'::pg_catalog.text, name text DEFAULT NULL::pg_catalog.text, content_key text DEFAULT 'content'::pg_catalog.text)
 RETURNS text
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_expose_with_name_wrapper';

CREATE FUNCTION @extschema@.kb_tools(agent_id uuid DEFAULT NULL::pg_catalog.uuid, format text DEFAULT 'mcp'::pg_catalog.text, tools text DEFAULT 'all'::pg_catalog.text)
 RETURNS jsonb
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'kb_tools_with_choice_wrapper';

CREATE FUNCTION @extschema@.kb_compare(knowledge_base text, a jsonb, b jsonb, tag text DEFAULT NULL::pg_catalog.text)
 RETURNS TABLE(place integer, arguments jsonb, measure text, a double precision, b double precision, difference double precision, low double precision, high double precision, won bigint, lost bigint, even bigint, p double precision, verdict text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_compare_wrapper';

CREATE FUNCTION @extschema@.kb_evaluate(knowledge_base text, arguments jsonb DEFAULT '{}'::pg_catalog.jsonb, tag text DEFAULT NULL::pg_catalog.text, save_as text DEFAULT NULL::pg_catalog.text)
 RETURNS TABLE(place integer, arguments jsonb, questions bigint, missing bigint, without_answer bigint, first_hit double precision, hits_5 double precision, hits_k double precision, mrr double precision, ndcg_10 double precision, intervals jsonb, answered_by_mistake bigint, refused_by_mistake bigint, milliseconds double precision)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_evaluate_wrapper';

CREATE FUNCTION @extschema@.kb_evaluate_questions(knowledge_base text, arguments jsonb DEFAULT '{}'::pg_catalog.jsonb, tag text DEFAULT NULL::pg_catalog.text, question_ids uuid[] DEFAULT NULL::pg_catalog.uuid[])
 RETURNS TABLE(question_id uuid, question text, weight double precision, rank integer, found_by text, before jsonb, missing boolean, expects_nothing boolean, answered boolean, mrr double precision, ndcg_10 double precision, milliseconds double precision)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_evaluate_questions_wrapper';

CREATE FUNCTION @extschema@.kb_question_add(knowledge_base text, question text, expected_keys text[] DEFAULT '{}'::pg_catalog.text[], expected_documents uuid[] DEFAULT '{}'::pg_catalog.uuid[], expected_texts text[] DEFAULT '{}'::pg_catalog.text[], filter jsonb DEFAULT '{}'::pg_catalog.jsonb, agent_id uuid DEFAULT NULL::pg_catalog.uuid, tags text[] DEFAULT '{}'::pg_catalog.text[], weight double precision DEFAULT 1)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_question_add_wrapper';

CREATE FUNCTION @extschema@.kb_question_draft(knowledge_base text, question_count integer DEFAULT 20, use_chat_model boolean DEFAULT false)
 RETURNS TABLE(question_id uuid, question text, kind text, source text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_question_draft_wrapper';

CREATE FUNCTION @extschema@.kb_explain(query text, knowledge_base text, chunk_id uuid DEFAULT NULL::pg_catalog.uuid, mode text DEFAULT 'hybrid'::pg_catalog.text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::pg_catalog.text, fusion text DEFAULT 'relative'::pg_catalog.text, max_per_document bigint DEFAULT NULL, syntax text DEFAULT 'plain'::pg_catalog.text, match_threshold double precision DEFAULT NULL, match_offset bigint DEFAULT 0, duplicates text DEFAULT 'keep'::pg_catalog.text)
 RETURNS jsonb
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'kb_explain_wrapper';

CREATE FUNCTION @extschema@.kb_suggest(knowledge_base text, tag text DEFAULT NULL::pg_catalog.text)
 RETURNS TABLE(arguments jsonb, answer_threshold double precision, tried bigint, chosen_on bigint, checked_on bigint, default_ndcg_10 double precision, suggested_ndcg_10 double precision, p double precision, message text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_suggest_wrapper';

CREATE FUNCTION @extschema@.kb_agent_list(knowledge_base text DEFAULT NULL::pg_catalog.text, unattached boolean DEFAULT false)
 RETURNS TABLE(agent_id uuid, knowledge_base text, filter jsonb, use_knowledge_base boolean, name text, asked_at timestamp with time zone)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'kb_agent_list_with_use_wrapper';

CREATE FUNCTION @extschema@.kb_agent_configure(agent_id uuid, use_knowledge_base boolean DEFAULT NULL)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_agent_configure_wrapper';
COMMENT ON FUNCTION @extschema@.kb_agent_list IS 'the knowledge bases attached to agents, with their filters, and whether the agent uses its knowledge bases: of one knowledge base, or of all that the caller may read; with unattached the agents to which none is attached, and the knowledge base that kb_snippets answered them from: for its administrators';
COMMENT ON FUNCTION @extschema@.kb_agent_configure IS 'says whether an agent uses its knowledge bases: while it does not, its searches find nothing, and what workers would fetch or embed for it in them waits; NULL leaves it as it is; for administrators of one of them';

CREATE FUNCTION @extschema@.kb_tools_config(format text DEFAULT 'json'::pg_catalog.text, connection_url text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid)
 RETURNS text
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'kb_tools_config_wrapper';

CREATE FUNCTION @extschema@.kb_prompt_set(id text, content text, version integer DEFAULT NULL::pg_catalog.int4)
 RETURNS integer
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_prompt_set_with_version_wrapper';

CREATE FUNCTION @extschema@.kb_snippets(messages jsonb, top_k bigint DEFAULT 5, agent_id text DEFAULT NULL::pg_catalog.text, session_id text DEFAULT NULL::pg_catalog.text, fallback_base text DEFAULT NULL::pg_catalog.text)
 RETURNS jsonb
 LANGUAGE c
 COST 100000
AS 'MODULE_PATHNAME', 'kb_snippets_with_fallback_wrapper';

CREATE FUNCTION @extschema@.kb_browse(knowledge_base text DEFAULT NULL::pg_catalog.text, source_type text DEFAULT NULL::pg_catalog.text, match_count bigint DEFAULT 20, match_offset bigint DEFAULT 0, filter jsonb DEFAULT '{}'::pg_catalog.jsonb)
 RETURNS TABLE(document_id uuid, knowledge_base text, title text, source text, source_type text, mime_type text, status text, error_message text, chunks bigint, abstract text, created_at timestamp with time zone, updated_at timestamp with time zone)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 10000 ROWS 20
AS 'MODULE_PATHNAME', 'kb_browse_with_filter_wrapper';

CREATE FUNCTION @extschema@.kb_delete_where(knowledge_base text, filter jsonb, everything boolean DEFAULT false)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_delete_where_wrapper';
COMMENT ON FUNCTION @extschema@.kb_delete_where IS 'deletes the documents of a knowledge base that pass a filter, of those that the caller may see and delete; an empty filter, or one that negates a key which no document has, needs everything => true; returns how many were deleted';

CREATE FUNCTION @extschema@.kb_context(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, match_count bigint DEFAULT 5, match_threshold double precision DEFAULT NULL, style text DEFAULT 'relevance'::pg_catalog.text, mode text DEFAULT 'hybrid'::pg_catalog.text, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, max_chars bigint DEFAULT NULL, page_numbers boolean DEFAULT false, neighbors integer DEFAULT 0, knowledge_bases text[] DEFAULT NULL::pg_catalog.text[], duplicates text DEFAULT 'merge'::pg_catalog.text, whole_document boolean DEFAULT false)
 RETURNS text
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000
AS 'MODULE_PATHNAME', 'kb_context_with_pages_wrapper';

CREATE FUNCTION @extschema@.kb_create(name text, description text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text, dimensions integer DEFAULT NULL, chunk_size integer DEFAULT 1000, chunk_overlap integer DEFAULT 200, chunk_unit text DEFAULT 'char'::pg_catalog.text, chunk_strategy text DEFAULT 'auto'::pg_catalog.text, text_config regconfig DEFAULT NULL::pg_catalog.regconfig, ranker text DEFAULT 'bm25'::pg_catalog.text, index_method text DEFAULT 'auto'::pg_catalog.text, embed text DEFAULT 'auto'::pg_catalog.text, bm25_k1 double precision DEFAULT 1.2, bm25_b double precision DEFAULT 0.75, title_weight double precision DEFAULT 2, heading_weight double precision DEFAULT 1.5, match_threshold double precision DEFAULT NULL, fold_accents boolean DEFAULT true, part_weight double precision DEFAULT 0.25, answer_threshold double precision DEFAULT NULL, log_searches boolean DEFAULT false, if_not_exists boolean DEFAULT false)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_create_with_gate_wrapper';

CREATE FUNCTION @extschema@.kb_configure(name text, description text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text, dimensions integer DEFAULT NULL, chunk_size integer DEFAULT NULL, chunk_overlap integer DEFAULT NULL, chunk_unit text DEFAULT NULL::pg_catalog.text, chunk_strategy text DEFAULT NULL::pg_catalog.text, text_config regconfig DEFAULT NULL::pg_catalog.regconfig, ranker text DEFAULT NULL::pg_catalog.text, index_method text DEFAULT NULL::pg_catalog.text, embed text DEFAULT NULL::pg_catalog.text, bm25_k1 double precision DEFAULT NULL, bm25_b double precision DEFAULT NULL, title_weight double precision DEFAULT NULL, heading_weight double precision DEFAULT NULL, match_threshold double precision DEFAULT NULL, fold_accents boolean DEFAULT NULL, part_weight double precision DEFAULT NULL, lexeme_format integer DEFAULT NULL, answer_threshold double precision DEFAULT NULL, upsert_key boolean DEFAULT NULL, log_searches boolean DEFAULT NULL, summaries text DEFAULT NULL::pg_catalog.text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_configure_with_gate_wrapper';

CREATE FUNCTION @extschema@.kb_list()
 RETURNS TABLE(id uuid, name text, schema text, description text, owner text, model text, dimensions integer, chunk_size integer, chunk_overlap integer, chunk_unit text, chunk_strategy text, text_config text, ranker text, index_method text, embed text, bm25_k1 double precision, bm25_b double precision, title_weight double precision, heading_weight double precision, match_threshold double precision, created_at timestamp with time zone, fold_accents boolean, part_weight double precision, lexeme_format integer, answer_threshold double precision, log_searches boolean, summaries text, node text)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'kb_list_with_gate_wrapper';

CREATE FUNCTION @extschema@.kb_reconcile(knowledge_base text, outdated boolean DEFAULT false)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_reconcile_with_outdated_wrapper';

CREATE FUNCTION @extschema@.kb_estimate(knowledge_base text, model text DEFAULT NULL::pg_catalog.text, outdated boolean DEFAULT false, summaries text DEFAULT NULL::pg_catalog.text)
 RETURNS TABLE(model text, chunks bigint, tokens bigint, calls bigint, cost double precision)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 1
AS 'MODULE_PATHNAME', 'kb_estimate_with_outdated_wrapper';

CREATE FUNCTION @extschema@.kb_provider_grant(name text, role text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, auto_sync boolean DEFAULT true)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_provider_grant_limited_wrapper';
COMMENT ON FUNCTION @extschema@.kb_provider_grant(text, text, uuid, boolean) IS 'allows a role, or public, to send texts to a provider, or to have pages fetched through it, which may cost money; with agent_id just those of this agent, with auto_sync => false just once each; for its owner';

CREATE FUNCTION @extschema@.kb_provider_revoke(name text, role text, agent_id uuid DEFAULT NULL::pg_catalog.uuid)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_provider_revoke_limited_wrapper';
COMMENT ON FUNCTION @extschema@.kb_provider_revoke(text, text, uuid) IS 'revokes what kb_provider_grant granted to the role, or just the grant for one agent; knowledge bases of the role stop using the provider';

-- The view gets more columns, and keeps its privileges and what depends on it.
ALTER TABLE kb_rag.base_statistics ADD COLUMN outdated int8, ADD COLUMN outdated_files int8;
COMMENT ON COLUMN kb_rag.base_statistics.outdated IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.outdated_files IS 'as in kb_rag.status';
ALTER FUNCTION kb_rag.base_status() RENAME TO base_status_0_3;
CREATE FUNCTION kb_rag.base_status() RETURNS TABLE (
    knowledge_base text, schema text, model text, dimensions int,
    documents int8, pending int8, indexed int8, failed int8,
    chunks int8, embedded int8, coverage float8, table_bytes int8, index_bytes int8, unmerged_segments int8,
    model_variants text[], variant_in_use text, kernel text,
    oldest_pending interval, paused text, chunks_per_second float8, time_to_go interval, model_change text,
    note text, counted_at timestamptz, outdated int8, outdated_files int8, pgvector text, node text
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'base_status_with_outdated_wrapper';
COMMENT ON FUNCTION kb_rag.base_status() IS 'the rows of the view kb_rag.status';
DO $$
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW kb_rag.status AS SELECT * FROM kb_rag.base_status()';
    BEGIN
        EXECUTE 'DROP FUNCTION kb_rag.base_status_0_3()';
    EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE WARNING 'objects that use the earlier kb_rag.base_status() keep using it, now as kb_rag.base_status_0_3()'
            USING HINT = 'Use the view kb_rag.status instead.';
    END;
END
$$;
COMMENT ON COLUMN kb_rag.status.outdated IS 'documents that an earlier version of a reader or of the chunker made, as kb_rag.current_version has them; read or cut again when asked';
COMMENT ON COLUMN kb_rag.status.outdated_files IS 'those of them that an earlier version of a reader read from a file: the file is not stored, and is to be given again by kb-rag index or kb_add_file';
COMMENT ON COLUMN kb_rag.status.pgvector IS 'the version of pgvector in the database and, below 0.8.2, what is wrong with it; the same for all knowledge bases of a node';
COMMENT ON COLUMN kb_rag.status.node IS 'the node of a cluster that has the knowledge base, as host and port by which the others reach it; NULL on a server that stands alone';
CREATE FUNCTION kb_rag.current_versions() RETURNS TABLE (name text, version int)
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'current_versions_wrapper';
COMMENT ON FUNCTION kb_rag.current_versions() IS 'the rows of the view kb_rag.current_version';

CREATE VIEW kb_rag.current_version AS SELECT * FROM kb_rag.current_versions();
COMMENT ON VIEW kb_rag.current_version IS 'the versions of the readers and of the chunker in this library: documents with lower ones, or none, are outdated';
COMMENT ON COLUMN kb_rag.current_version.name IS 'a reader, as in document.reader, or chunker';
COMMENT ON COLUMN kb_rag.current_version.version IS 'its version, as in document.reader_version or document.chunker_version';
GRANT SELECT ON kb_rag.current_version TO PUBLIC;

CREATE FUNCTION kb_rag.is_node(node int) RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'is_node_wrapper';
COMMENT ON FUNCTION kb_rag.is_node(int) IS 'whether this server is the node with this groupid of Citus; statements for other nodes name it, and find nothing on any other';

CREATE FUNCTION kb_rag.agent_has_bases(agent uuid) RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'agent_has_bases_wrapper';
COMMENT ON FUNCTION kb_rag.agent_has_bases(uuid) IS 'whether this server has knowledge bases that are attached to the agent; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_statistics(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_statistics_wrapper';
COMMENT ON FUNCTION kb_rag.part_statistics(jsonb) IS 'the knowledge bases of this server that a search over several nodes covers, with their statistics; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_candidates(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_candidates_wrapper';
COMMENT ON FUNCTION kb_rag.part_candidates(jsonb) IS 'the chunks of this server that a search over several nodes finds, with their scores; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_rows(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_rows_wrapper';
COMMENT ON FUNCTION kb_rag.part_rows(jsonb) IS 'the rows of this server among the results of a search over several nodes; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_hints(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_hints_wrapper';
COMMENT ON FUNCTION kb_rag.part_hints(jsonb) IS 'why a search over several nodes finds nothing on this server; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_documents(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_documents_wrapper';
COMMENT ON FUNCTION kb_rag.part_documents(jsonb) IS 'documents of this server for a list over several nodes; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_tools(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_tools_wrapper';
COMMENT ON FUNCTION kb_rag.part_tools(jsonb) IS 'what tools of agents show of this server, where their knowledge bases are on several nodes; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.administers_agent(agent uuid) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'administers_agent_wrapper';
COMMENT ON FUNCTION kb_rag.administers_agent(uuid) IS 'whether you administer one of the knowledge bases that this server has of the agent, NULL where it has none; other nodes of a cluster call it';

-- Of kb_rag, so that it is found whatever search_path the role has on the other node.
CREATE FUNCTION kb_rag.vouched_process() RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'vouched_process_wrapper';
COMMENT ON FUNCTION kb_rag.vouched_process() IS 'the process of this session, which finds names in pg_catalog only until its transaction ends; other nodes of a cluster call it before they vouch for a call';

-- Only the owner of the catalog tells a node that it may change what concerns all of them.
CREATE FUNCTION kb_rag.vouch(process int, begins boolean) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'vouch_wrapper';
REVOKE EXECUTE ON FUNCTION kb_rag.vouch(int, boolean) FROM PUBLIC;
COMMENT ON FUNCTION kb_rag.vouch(int, boolean) IS 'begins or ends to vouch for a call that another node of a cluster makes in a process of this server; other nodes call it as the owner of the extension';

CREATE FUNCTION kb_rag.node_state() RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'node_state_wrapper';
COMMENT ON FUNCTION kb_rag.node_state() IS 'the row of this server in kb_rag.cluster; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.cluster_nodes() RETURNS TABLE (
    node text, version text, bases int8, chunks int8, bytes int8, prepared int8, lost int8, unregistered int8, reachable boolean, error text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'cluster_nodes_wrapper';
COMMENT ON FUNCTION kb_rag.cluster_nodes() IS 'the rows of the view kb_rag.cluster';

CREATE VIEW kb_rag.cluster AS SELECT * FROM kb_rag.cluster_nodes();
COMMENT ON VIEW kb_rag.cluster IS 'one row per node of a cluster that kb_cluster_setup has set up, with the knowledge bases that you may read there; no rows on a server that stands alone';
COMMENT ON COLUMN kb_rag.cluster.node IS 'host and port, as the other nodes reach it';
COMMENT ON COLUMN kb_rag.cluster.version IS 'version of the extension kb_rag there';
COMMENT ON COLUMN kb_rag.cluster.bases IS 'number of knowledge bases that you may read there';
COMMENT ON COLUMN kb_rag.cluster.chunks IS 'number of their chunks, of those that are counted';
COMMENT ON COLUMN kb_rag.cluster.bytes IS 'size of their tables and indexes, of those that are counted';
COMMENT ON COLUMN kb_rag.cluster.prepared IS 'number of transactions that were prepared there more than a minute ago, and neither committed nor rolled back: they keep their locks';
COMMENT ON COLUMN kb_rag.cluster.lost IS 'number of knowledge bases that the cluster has registered there, and that the node does not have: kb_cluster_setup corrects it';
COMMENT ON COLUMN kb_rag.cluster.unregistered IS 'number of knowledge bases there that the cluster has not registered: kb_cluster_setup corrects it';
COMMENT ON COLUMN kb_rag.cluster.reachable IS 'whether the node answered';
COMMENT ON COLUMN kb_rag.cluster.error IS 'why it did not';
GRANT SELECT ON kb_rag.cluster TO PUBLIC;

CREATE FUNCTION @extschema@.kb_cluster_setup()
RETURNS void
LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_cluster_setup_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_cluster_setup FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_cluster_setup IS 'connects the nodes of Citus: makes kb_rag.handle and kb_rag.placement, and registers the knowledge bases of all nodes; for superusers, on the coordinator, and again after a node is added';

-- It uses the new function, and keeps its privileges. PostgreSQL replaces no view here that does not belong to the extension.
DO $$
BEGIN
    EXECUTE $view$
CREATE OR REPLACE VIEW kb_rag.usage_daily WITH (security_barrier) AS
    SELECT (u.at AT TIME ZONE 'UTC')::pg_catalog.date AS day, u.knowledge_base, u.model, pg_catalog.sum(u.calls)::pg_catalog.int8 AS calls,
        pg_catalog.sum(u.items)::pg_catalog.int8 AS items, pg_catalog.sum(u.tokens)::pg_catalog.int8 AS tokens, pg_catalog.sum(u.errors)::pg_catalog.int8 AS errors,
        pg_catalog.sum(u.cost) AS cost, pg_catalog.sum(u.output_tokens)::pg_catalog.int8 AS output_tokens
    FROM kb_rag.usage u
    WHERE u.knowledge_base_id OPERATOR(pg_catalog.=) ANY (SELECT b.id FROM @extschema@.kb_list() b)
        OR (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) CURRENT_USER)
    GROUP BY 1, 2, 3
    $view$;
END
$$;

REVOKE EXECUTE ON FUNCTION @extschema@.kb_create FROM PUBLIC;

COMMENT ON FUNCTION @extschema@.kb_hybrid_search IS 'the best chunks for a question, by keyword and by meaning, fused by reciprocal rank or relative score; best first, ties by keyword_rank, semantic_rank, then chunk_id; with syntax => ''web'' quotes and -word work as in web search';
COMMENT ON FUNCTION @extschema@.kb_search IS 'kb_hybrid_search with a mode: hybrid, semantic or keyword; hybrid is fused by relative score by default. neighbors shows so many chunks before and after each as one text, knowledge_bases searches several by name, duplicates => merge makes rows with the same text one and lists the others, snippet adds the part in which the question is found';
COMMENT ON FUNCTION @extschema@.kb_search_documents IS 'the documents of the best chunks for a question, one row each, with their summaries and the text at a level: abstract, overview or content; best first; knowledge_bases, duplicates and snippet as in kb_search';
COMMENT ON FUNCTION @extschema@.kb_context IS 'the passages for a question as one text for the prompt of a chat model, or NULL if none passes the threshold: style relevance puts [Relevance: 87%] before each, source puts [Source: guide.pdf]; page_numbers adds (page 4); max_chars limits its length in characters; neighbors adds so many chunks before and after each; whole_document gives documents, as much as max_chars has room for; passages with the same text come once unless duplicates is keep';
COMMENT ON FUNCTION @extschema@.kb_create IS 'creates a knowledge base: a schema kb_<name> with the tables source, document, chunk and embedding, and the statistics for keyword search; returns its id; with if_not_exists a base of this name stays as it is, and a NOTICE says what is different';
COMMENT ON FUNCTION @extschema@.kb_configure IS 'changes settings of a knowledge base and rebuilds what depends on them; NULL leaves a setting unchanged; searches continue meanwhile, writers wait';
COMMENT ON FUNCTION @extschema@.kb_list IS 'the knowledge bases the caller may read, with their settings';

COMMENT ON FUNCTION @extschema@.kb_browse IS 'the documents the caller may see that pass a filter, the newest first, page by page: match_count of them, after match_offset';
COMMENT ON FUNCTION @extschema@.kb_reconcile IS 'repairs what was written while triggers were disabled, or by replication; with outdated, documents that an earlier version of the chunker cut are cut again; returns the number of repaired documents, and of chunks and vectors that belonged to no document';
COMMENT ON FUNCTION @extschema@.kb_estimate IS 'estimates what embedding a knowledge base takes: chunks without a vector, or all of them with another model; with outdated, as after kb_reconcile with outdated; with summaries, what this chat model takes for the documents without abstract or overview; tokens, calls and cost, NULL if the price is not known';

-- The new ones get the privileges of the old ones. What a script of an extension grants counts as installed with it, and dumps leave
-- that out: such notes are replaced by those of the old ones. A view of a user keeps the old function, since DROP would be refused.
DO $$
DECLARE
    pair record;
    privilege record;
BEGIN
    FOR pair IN
        SELECT o.oid::pg_catalog.regprocedure AS old, o.oid AS old_oid, n.oid::pg_catalog.regprocedure AS new, n.oid AS new_oid, o.proacl, o.proowner, n.proname
        FROM pg_catalog.pg_proc n
        JOIN pg_catalog.pg_proc o ON o.pronamespace OPERATOR(pg_catalog.=) n.pronamespace
            AND o.proname OPERATOR(pg_catalog.=) (n.proname OPERATOR(pg_catalog.||) '_0_3')::pg_catalog.name
        JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) o.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        WHERE n.proname OPERATOR(pg_catalog.=) ANY ('{kb_chunk,kb_hybrid_search,kb_search,kb_search_documents,kb_context,kb_create,kb_configure,kb_list,kb_reconcile,kb_estimate,kb_browse,kb_attach,kb_expose,kb_tools,kb_agent_list,kb_prompt_set,kb_snippets,kb_provider_grant,kb_provider_revoke}'::pg_catalog.name[])
    LOOP
        IF pair.proacl IS NOT NULL THEN
            EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', pair.new);
            FOR privilege IN
                SELECT CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC' ELSE a.grantee::pg_catalog.regrole::pg_catalog.text END AS grantee,
                    CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
                FROM pg_catalog.aclexplode(pair.proacl) a WHERE a.grantee OPERATOR(pg_catalog.<>) pair.proowner
            LOOP
                EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s%s', pair.new, privilege.grantee, privilege.option);
            END LOOP;
            DELETE FROM pg_catalog.pg_init_privs i
            WHERE i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.objoid OPERATOR(pg_catalog.=) pair.new_oid;
            INSERT INTO pg_catalog.pg_init_privs (objoid, classoid, objsubid, privtype, initprivs)
            SELECT pair.new_oid, i.classoid, i.objsubid, i.privtype, i.initprivs FROM pg_catalog.pg_init_privs i
            WHERE i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.objoid OPERATOR(pg_catalog.=) pair.old_oid;
        END IF;
        BEGIN
            EXECUTE pg_catalog.format('DROP FUNCTION %s', pair.old);
        EXCEPTION WHEN dependent_objects_still_exist THEN
            EXECUTE pg_catalog.format('ALTER FUNCTION %s SET SCHEMA kb_rag', pair.old);
            RAISE WARNING 'objects that use the earlier %() keep using it, now as kb_rag.%_0_3()', pair.proname, pair.proname
                USING HINT = 'Create them again: a dump of this database cannot be restored while they use it.';
        END;
    END LOOP;
END
$$;

CREATE FUNCTION @extschema@.kb_lexemes(content text, knowledge_base text)
    RETURNS TABLE (lexeme text, kind text, "position" integer, source text, dictionary text, start_char integer, end_char integer)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kb_lexemes_wrapper';
CREATE FUNCTION @extschema@.kb_highlight(content text, query text, knowledge_base text, max_chars bigint DEFAULT 200, start_sel text DEFAULT ''::pg_catalog.text, stop_sel text DEFAULT ''::pg_catalog.text, syntax text DEFAULT 'plain'::pg_catalog.text, language text DEFAULT NULL::pg_catalog.text)
    RETURNS TABLE (snippet text, start_char integer, end_char integer, positions jsonb)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 100 ROWS 1 AS 'MODULE_PATHNAME', 'kb_highlight_wrapper';
COMMENT ON FUNCTION @extschema@.kb_lexemes IS 'what keyword search sees of a text in a knowledge base: lexemes with their kind (word, folded: without accents, part: of a compound, or bigram), the position of their word from 1, the word as the text has it, the dictionary that made them (NULL if none did), and where the word stands in characters from 0';
COMMENT ON FUNCTION @extschema@.kb_highlight IS 'the part of a text in which a query finds most words by keyword in a knowledge base, of at most max_chars characters (NULL for the whole text), with start_sel and stop_sel around the words, not escaped; where it stands in the text, and where the words in it stand, as [start, end], in characters from 0';
COMMENT ON FUNCTION @extschema@.kb_chunk IS 'splits a text into overlapping chunks; offsets count characters from 0, the end is exclusive; context: the header of the table in which a chunk begins';
COMMENT ON FUNCTION @extschema@.kb_refresh IS 'splits one document again by the settings of its knowledge base and embeds the chunks that differ, and has the page it was made from fetched again; returns false if there is none that the caller may see and change';

-- Row security of attached tables is followed. Tables that are attached already stay as they are.
ALTER TABLE kb_rag.attached_table ADD COLUMN key_types text[];
COMMENT ON COLUMN kb_rag.attached_table.key_types IS 'the types of the key when the table was attached, where its row security is to be followed: with ignore by policies of the knowledge base, with refuse once the table is attached again; NULL otherwise';
COMMENT ON COLUMN kb_rag.attached_table.row_security IS 'refuse or ignore: with refuse the knowledge base is closed to roles to which row security of the table applies';
COMMENT ON COLUMN kb_rag.source_status.row_security IS 'of a table, what kb_attach was told: follow shows documents to those who see their rows, refuse closes the knowledge base to roles to which row security of the table applies, ignore shows all; NULL for a URL';
COMMENT ON COLUMN kb_rag.source_status.rows_read IS 'number of rows read, of those that existed when the table was attached, NULL where row security hides documents; pages of the last crawl that were fetched';
COMMENT ON COLUMN kb_rag.source_status.rows_before IS 'number of rows in the table when it was attached: counted up to 100,000, about that many above, NULL where row security hides documents; pages that the last crawl has found';
-- The view gets more columns, and keeps its privileges and what depends on it.
ALTER FUNCTION kb_rag.source_overview() RENAME TO source_overview_0_3;
CREATE FUNCTION kb_rag.source_overview() RETURNS TABLE (
    knowledge_base text, source_id uuid, location text, status text, error_message text, documents int8,
    rows_read int8, rows_before int8, last_synced_at timestamptz, kind text, next_sync_at timestamptz, row_security text,
    rows_per_second float8, seconds_to_go float8, stale_vectors int8
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'source_overview_with_pace_wrapper';
COMMENT ON FUNCTION kb_rag.source_overview() IS 'the rows of the view kb_rag.source_status';
DO $$
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW kb_rag.source_status AS SELECT * FROM kb_rag.source_overview()';
    BEGIN
        EXECUTE 'DROP FUNCTION kb_rag.source_overview_0_3()';
    EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE WARNING 'objects that use the earlier kb_rag.source_overview() keep using it, now as kb_rag.source_overview_0_3()'
            USING HINT = 'Use the view kb_rag.source_status instead.';
    END;
END
$$;
COMMENT ON COLUMN kb_rag.source_status.rows_per_second IS 'of a table whose existing rows are being read, how many were read per second since that began; NULL otherwise, and where row security hides documents';
COMMENT ON COLUMN kb_rag.source_status.seconds_to_go IS 'in how many seconds the rest is read at this pace, vectors apart; NULL as rows_per_second';
COMMENT ON COLUMN kb_rag.source_status.stale_vectors IS 'of a table attached with embedding, how many documents have a vector that was made for an earlier title or text; NULL otherwise, and where row security hides documents';
ALTER TABLE kb_rag.attached_table ADD COLUMN options jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN kb_rag.attached_table.rows_in_all IS 'how many there were: counted up to 100,000, about that many above';
ALTER TABLE kb_rag.attached_table ADD COLUMN reading_since timestamptz;
COMMENT ON COLUMN kb_rag.attached_table.reading_since IS 'when the first of these rows was read; NULL before';
COMMENT ON COLUMN kb_rag.attached_table.options IS 'constants that kb_attach was given for mime_type and language, the template of the URL, the condition, and the model whose vectors are taken';
COMMENT ON COLUMN kb_rag.attached_table.uses IS 'how each column is used: content, title, key, metadata, more_content, mime_type, language, url, condition or embedding';
CREATE FUNCTION kb_rag.url_encode(value text) RETURNS text
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'url_encode_wrapper';
COMMENT ON FUNCTION kb_rag.url_encode(text) IS 'a text as one segment of a URL: all but letters, digits and -._~ is percent-encoded; NULL for NULL';
CREATE FUNCTION kb_rag.condition_holds(condition text, names text[], key text, VARIADIC "columns" "any") RETURNS boolean
    LANGUAGE c COST 10 AS 'MODULE_PATHNAME', 'condition_holds_wrapper';
COMMENT ON FUNCTION kb_rag.condition_holds(text, text[], text, "any") IS 'whether a condition holds for a row of an attached table, whose columns have these names and values; false for NULL and, with a warning that names the key, if an error is raised; runs the condition with the privileges of the caller';
CREATE FUNCTION kb_rag.as_jsonb(value anyelement) RETURNS jsonb
    LANGUAGE c COST 10 AS 'MODULE_PATHNAME', 'as_jsonb_wrapper';
COMMENT ON FUNCTION kb_rag.as_jsonb(anyelement) IS 'a value as jsonb, or its text as a JSON string if jsonb cannot hold it, such as json with \u0000; NULL for NULL';
CREATE FUNCTION kb_rag.row_is_visible(source_id uuid, source_key text) RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'row_is_visible_wrapper';
COMMENT ON FUNCTION kb_rag.row_is_visible(uuid, text) IS 'whether the current role sees the row of an attached table that a document is made from: asked by the policies of knowledge bases that follow row security of the table; true without a source and for sources that are not followed';
COMMENT ON FUNCTION @extschema@.kb_expose IS 'makes a view of the chunks of a knowledge base that have a vector, or of its URLs, for applications with SQL of their own, or with layout supabase the functions match_documents and kw_match_documents, and returns its name: layout says with which columns, name where it is (in the schema of the knowledge base by default), content_key which key of metadata holds the text in the layout pgvector; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_tools IS 'the tools that a chat model may call, as a JSON array: a search for each knowledge base of the agent (of at most 20; without an agent those of the caller), search_knowledge and read_knowledge; format is mcp, openai, anthropic or gemini; with tools => ''search'' just the searches of one knowledge base each';
COMMENT ON FUNCTION @extschema@.kb_question_add IS 'adds a question to measure searches with, and makes the tables question and evaluation of the base at the first one; without anything expected it is to find nothing; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_question_draft IS 'makes questions of chunks of a base without a language model, from titles, headings, definitions and rare words, or with use_chat_model by kb_rag.chat_model, one call each, with the prompt kb_question_draft if there is one; marks them as drafts; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_explain IS 'explains a search of kb_search in one base, with its arguments: the question as keyword search reads it, each step with its candidates and time, fusion, thresholds and results; with the id of a chunk or document, why that stands where it does, or is not found';
COMMENT ON FUNCTION @extschema@.kb_evaluate IS 'asks the questions of a base, those with the tag if one is given, with arguments of kb_search as an object, or an array of such objects: one row each with hits, MRR and nDCG@10 from 0 to 1, their 95 % intervals, and wrong answers and refusals; match_count is 10 unless given; save_as keeps the run; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_evaluate_questions IS 'asks the questions of a base with arguments of kb_search: one row for each question, with the rank of what it expects, what came before that, and which search found it; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_compare IS 'compares two sets of arguments of kb_search, or kept runs by name, on the questions of a base: for each measure the mean of b - a with its 95 % interval, questions won and lost, and p by paired randomization with 10,000 rounds, corrected by Holm where b is an array; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_suggest IS 'tries arguments of kb_search on one half of the questions of a base and checks the best on the other half, and a better answer_threshold likewise; changes nothing; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_tools_config IS 'the knowledge bases of the agent, or of the caller, as clients are configured that make a search tool of each: a JSON array of objects with kb_id, name, description, connection_url, embedding_provider and embedding_model; without connection_url that of this database, without a password; format is json, or shell for one quoted word';
COMMENT ON FUNCTION @extschema@.kb_snippets IS 'the texts of the best passages for a conversation, as a JSON array of strings; the query is the last message of the customer, or what kb_rag.chat_model makes of the conversation; fallback_base is searched for an agent to which no base is attached; a failure is a warning and the array empty';
COMMENT ON FUNCTION @extschema@.kb_prompt_set IS 'adds a version of a prompt, which search blocks of manifests refer to by its id; returns its number, from 1: the next one, unless version gives it; only the owner of the prompt adds versions, which never change';
COMMENT ON FUNCTION @extschema@.kb_attach IS 'makes documents from the rows of a table and keeps them in sync with it: content and title name its columns, metadata further ones; mime_type says how the content is read, language its language, each a constant or a column in braces; more_content names further columns with text, url is a template such as https://example.com/a/{id}; only rows that meet the condition, an expression over columns of the table, have documents; embedding names a column with vectors of the model of the knowledge base, which are used; workers read the rows and make the other vectors, but with wait all rows are read before it returns; with if_not_exists a table that is attached stays as it is; attaching it again applies the new settings; row security of the table holds for its documents, unless row_security is ''ignore''; for owners of the table who administer the knowledge base; returns the id of the source';

CREATE FUNCTION kb_rag.document_replicated() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'document_replicated_wrapper';
COMMENT ON FUNCTION kb_rag.document_replicated() IS 'marks documents that arrive by logical replication as not indexed, if neither chunks nor vectors are replicated to here; workers chunk and embed them';
REVOKE EXECUTE ON FUNCTION kb_rag.document_replicated() FROM PUBLIC;

-- Workers make the index of chunks by document and place, and the trigger for rows that arrive by logical replication.
INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT k.id, 'index', k.id FROM kb_rag.knowledge_base k;
