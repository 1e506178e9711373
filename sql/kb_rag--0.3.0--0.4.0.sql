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

COMMENT ON SCHEMA kb_rag IS 'catalog of the extension kb_rag, with the views status, failed, source_status and usage_daily; its functions are internal';
DROP FUNCTION @extschema@.kb_hybrid_search(pg_catalog.text,pg_catalog.text,bigint,pg_catalog.jsonb,pg_catalog.text,pg_catalog.uuid,@extschema@.vector,double precision,double precision,bigint,pg_catalog.text,pg_catalog.text,bigint,pg_catalog.text,double precision);
CREATE FUNCTION @extschema@.kb_hybrid_search(query text, knowledge_base text DEFAULT NULL::text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::jsonb, source_type text DEFAULT NULL::text, agent_id uuid DEFAULT NULL::uuid, query_embedding vector DEFAULT NULL::vector, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::text, fusion text DEFAULT 'rrf'::text, max_per_document bigint DEFAULT NULL::bigint, syntax text DEFAULT 'plain'::text, match_threshold double precision DEFAULT NULL::double precision, match_offset bigint DEFAULT 0)
 RETURNS TABLE(chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision, similarity double precision, keyword_score double precision, semantic_rank integer, keyword_rank integer, metadata jsonb, source_type text, heading text, page integer, ordinal integer, start_char integer, end_char integer)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_hybrid_search_with_offset_wrapper';
COMMENT ON FUNCTION @extschema@.kb_hybrid_search(pg_catalog.text,pg_catalog.text,bigint,pg_catalog.jsonb,pg_catalog.text,pg_catalog.uuid,@extschema@.vector,double precision,double precision,bigint,pg_catalog.text,pg_catalog.text,bigint,pg_catalog.text,double precision,bigint) IS 'the best chunks for a question, by keyword and by meaning, fused by reciprocal rank or relative score; best first, ties by keyword_rank, semantic_rank, then chunk_id; with syntax => ''web'' quotes and -word work as in web search';

DROP FUNCTION @extschema@.kb_search(pg_catalog.text,pg_catalog.text,pg_catalog.text,bigint,pg_catalog.jsonb,pg_catalog.text,pg_catalog.uuid,@extschema@.vector,double precision,double precision,bigint,pg_catalog.text,pg_catalog.text,bigint,pg_catalog.text,double precision);
CREATE FUNCTION @extschema@.kb_search(query text, knowledge_base text DEFAULT NULL::text, mode text DEFAULT 'hybrid'::text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::jsonb, source_type text DEFAULT NULL::text, agent_id uuid DEFAULT NULL::uuid, query_embedding vector DEFAULT NULL::vector, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::text, fusion text DEFAULT 'relative'::text, max_per_document bigint DEFAULT NULL::bigint, syntax text DEFAULT 'plain'::text, match_threshold double precision DEFAULT NULL::double precision, match_offset bigint DEFAULT 0)
 RETURNS TABLE(chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision, similarity double precision, keyword_score double precision, semantic_rank integer, keyword_rank integer, metadata jsonb, source_type text, heading text, page integer, ordinal integer, start_char integer, end_char integer)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_search_with_offset_wrapper';
COMMENT ON FUNCTION @extschema@.kb_search(pg_catalog.text,pg_catalog.text,pg_catalog.text,bigint,pg_catalog.jsonb,pg_catalog.text,pg_catalog.uuid,@extschema@.vector,double precision,double precision,bigint,pg_catalog.text,pg_catalog.text,bigint,pg_catalog.text,double precision,bigint) IS 'kb_hybrid_search with a mode: hybrid, semantic or keyword; hybrid is fused by relative score by default';

DROP FUNCTION @extschema@.kb_search_documents(pg_catalog.text,pg_catalog.text,bigint,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text,pg_catalog.uuid,@extschema@.vector,double precision,pg_catalog.text);
CREATE FUNCTION @extschema@.kb_search_documents(query text, knowledge_base text DEFAULT NULL::text, match_count bigint DEFAULT 5, mode text DEFAULT 'hybrid'::text, filter jsonb DEFAULT '{}'::jsonb, source_type text DEFAULT NULL::text, agent_id uuid DEFAULT NULL::uuid, query_embedding vector DEFAULT NULL::vector, match_threshold double precision DEFAULT NULL::double precision, level text DEFAULT 'overview'::text, match_offset bigint DEFAULT 0)
 RETURNS TABLE(document_id uuid, knowledge_base text, title text, source text, source_type text, abstract text, overview text, text text, score double precision, similarity double precision, best_chunk_id uuid, metadata jsonb)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_search_documents_with_offset_wrapper';
COMMENT ON FUNCTION @extschema@.kb_search_documents(pg_catalog.text,pg_catalog.text,bigint,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text,pg_catalog.uuid,@extschema@.vector,double precision,pg_catalog.text,bigint) IS 'the documents of the best chunks for a question, one row each, with their summaries and the text at a level: abstract, overview or content; best first';
