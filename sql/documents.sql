-- Functions with a column "abstract", which pgrx cannot declare: it is a keyword in Rust.

CREATE FUNCTION @extschema@.kb_search_documents(query text, knowledge_base text DEFAULT NULL, match_count bigint DEFAULT 5, mode text DEFAULT 'hybrid', filter jsonb DEFAULT '{}', source_type text DEFAULT NULL, agent_id uuid DEFAULT NULL, query_embedding vector DEFAULT NULL, match_threshold double precision DEFAULT NULL, level text DEFAULT 'overview', match_offset bigint DEFAULT 0, knowledge_bases text[] DEFAULT NULL, duplicates text DEFAULT 'keep', snippet boolean DEFAULT false)
    RETURNS TABLE (document_id uuid, knowledge_base text, title text, source text, source_type text, abstract text, overview text, text text, score double precision, similarity double precision, best_chunk_id uuid, metadata jsonb, relevance double precision, snippet text, duplicates jsonb)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 100000 ROWS 5 AS 'MODULE_PATHNAME', 'kb_search_documents_with_relevance_wrapper';
CREATE FUNCTION @extschema@.kb_read(document_id uuid, level text DEFAULT 'content', knowledge_base text DEFAULT NULL)
    RETURNS TABLE (document_id uuid, knowledge_base text, title text, source text, source_type text, mime_type text, language text, status text, error_message text, chunks bigint, abstract text, overview text, text text, metadata jsonb, created_at timestamptz, updated_at timestamptz)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10000 ROWS 1 AS 'MODULE_PATHNAME', 'kb_read_wrapper';
CREATE FUNCTION @extschema@.kb_browse(knowledge_base text DEFAULT NULL, source_type text DEFAULT NULL, match_count bigint DEFAULT 20, match_offset bigint DEFAULT 0, filter jsonb DEFAULT '{}')
    RETURNS TABLE (document_id uuid, knowledge_base text, title text, source text, source_type text, mime_type text, status text, error_message text, chunks bigint, abstract text, created_at timestamptz, updated_at timestamptz)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10000 ROWS 20 AS 'MODULE_PATHNAME', 'kb_browse_with_filter_wrapper';
