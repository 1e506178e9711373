-- The log of what agents and people searched for. No privilege is granted: the view shows rows to those who may see them.

CREATE TABLE kb_rag.search_log (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    role text NOT NULL,
    agent_id text,
    session_id text,
    tool text NOT NULL,
    knowledge_bases uuid[] NOT NULL,
    query text,
    results jsonb NOT NULL,
    milliseconds jsonb NOT NULL,
    error text
);
CREATE INDEX search_log_at ON kb_rag.search_log (at);
CREATE INDEX search_log_session_id ON kb_rag.search_log USING hash (session_id);
COMMENT ON TABLE kb_rag.search_log IS 'calls of kb_call_tool, kb_snippets, kb_retrieve and kb_rag.logged_search while kb_rag.log_searches is on, or of knowledge bases that all have log_searches; rows older than kb_rag.log_retention are deleted; not dumped';
COMMENT ON COLUMN kb_rag.search_log.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_rag.search_log.at IS 'when the call ended';
COMMENT ON COLUMN kb_rag.search_log.role IS 'the role that called';
COMMENT ON COLUMN kb_rag.search_log.agent_id IS 'the agent, as it was given';
COMMENT ON COLUMN kb_rag.search_log.session_id IS 'the conversation, as the application calls it';
COMMENT ON COLUMN kb_rag.search_log.tool IS 'the tool, kb_snippets, kb_retrieve, or kb_search for a search over HTTP';
COMMENT ON COLUMN kb_rag.search_log.knowledge_bases IS 'identifiers of the knowledge bases that were searched; none for kb_retrieve, unless it reads the view of one';
COMMENT ON COLUMN kb_rag.search_log.query IS 'the question, or the id of the document that was read; the arguments if they have neither';
COMMENT ON COLUMN kb_rag.search_log.results IS 'what was found: an array of objects with source, title, knowledge_base, score, similarity, document_id, chunk_id and content';
COMMENT ON COLUMN kb_rag.search_log.milliseconds IS 'how long it took: rewrite (with a chat model), embed, search (without these) and total';
COMMENT ON COLUMN kb_rag.search_log.error IS 'why the call failed; NULL if it did not';

CREATE FUNCTION kb_rag.administered_bases() RETURNS uuid[]
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'administered_bases_wrapper';
COMMENT ON FUNCTION kb_rag.administered_bases() IS 'identifiers of the knowledge bases that the caller administers and in which row security hides nothing from the caller, for kb_rag.search_history';
CREATE FUNCTION kb_rag.unsecured_bases() RETURNS uuid[]
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'unsecured_bases_wrapper';
COMMENT ON FUNCTION kb_rag.unsecured_bases() IS 'identifiers of the knowledge bases that the caller may read and in which row security hides nothing from the caller, for kb_rag.search_history';

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

CREATE VIEW kb_rag.search_history WITH (security_barrier = true) AS
SELECT l.at, l.role, l.agent_id, l.session_id, l.tool,
    ARRAY(
        SELECT k.name FROM kb_rag.knowledge_base k
        WHERE k.id OPERATOR(pg_catalog.=) ANY (l.knowledge_bases) ORDER BY k.name USING OPERATOR(pg_catalog.<)
    ) AS knowledge_bases,
    l.query, l.results, l.milliseconds, l.error
FROM kb_rag.search_log l
WHERE (pg_catalog.cardinality(l.knowledge_bases) OPERATOR(pg_catalog.>) 0
        AND l.knowledge_bases OPERATOR(pg_catalog.<@) (SELECT kb_rag.administered_bases()))
    OR (l.role OPERATOR(pg_catalog.=) CURRENT_USER::pg_catalog.text
        AND l.knowledge_bases OPERATOR(pg_catalog.<@) (SELECT kb_rag.unsecured_bases()));
COMMENT ON VIEW kb_rag.search_history IS 'the log of kb_call_tool, kb_snippets, kb_retrieve and kb_rag.logged_search: calls that searched only knowledge bases you administer, and your own calls; none whose knowledge bases hide documents from you by row security';
COMMENT ON COLUMN kb_rag.search_history.at IS 'when the call ended';
COMMENT ON COLUMN kb_rag.search_history.role IS 'the role that called';
COMMENT ON COLUMN kb_rag.search_history.agent_id IS 'the agent, as it was given';
COMMENT ON COLUMN kb_rag.search_history.session_id IS 'the conversation, as the application calls it';
COMMENT ON COLUMN kb_rag.search_history.tool IS 'the tool, kb_snippets, kb_retrieve, or kb_search for a search over HTTP';
COMMENT ON COLUMN kb_rag.search_history.knowledge_bases IS 'the knowledge bases that were searched';
COMMENT ON COLUMN kb_rag.search_history.query IS 'the question, or the id of the document that was read; the arguments if they have neither';
COMMENT ON COLUMN kb_rag.search_history.results IS 'what was found: an array of objects with source, title, knowledge_base, score, similarity, document_id, chunk_id and content';
COMMENT ON COLUMN kb_rag.search_history.milliseconds IS 'how long it took: rewrite (with a chat model), embed, search (without these) and total';
COMMENT ON COLUMN kb_rag.search_history.error IS 'why the call failed; NULL if it did not';
GRANT SELECT ON kb_rag.search_history TO PUBLIC;
