-- The catalog of knowledge bases. First file of the install script; the functions follow it.

-- A block of its own: PostgreSQL repeats the block of a failed check in the context of the error.
DO $$
BEGIN
    IF pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.<>) 'UTF8' THEN
        RAISE EXCEPTION 'database encoding "%" is not supported', pg_catalog.getdatabaseencoding()
            USING ERRCODE = '55000', HINT = 'Create the database with ENCODING ''UTF8'' TEMPLATE template0.';
    END IF;
END
$$;

DO $$
BEGIN
    IF (SELECT pg_catalog.string_to_array(pg_catalog.substring(extversion, '^[0-9.]+'), '.')::pg_catalog.int4[] OPERATOR(pg_catalog.<) ARRAY[0, 8]
        FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'vector') THEN
        RAISE EXCEPTION 'pgvector is older than 0.8.0'
            USING ERRCODE = '55000', HINT = 'Install pgvector 0.8.0 or later and run ALTER EXTENSION vector UPDATE.';
    END IF;
    -- The functions refer to the type by name, and their schema is searched before that of pgvector.
    IF (
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'vector'
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regtype('vector')
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ) OPERATOR(pg_catalog.=) 0 THEN
        RAISE EXCEPTION 'a type named "vector" that is not pgvector''s is in the schema of the extension'
            USING ERRCODE = '42710', HINT = 'Drop the type, or give CREATE EXTENSION another schema.';
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

CREATE SCHEMA kb_rag;
COMMENT ON SCHEMA kb_rag IS 'catalog of the extension kb_rag, with the views status, failed, source_status, usage_daily, current_version and cluster; its functions are internal';
GRANT USAGE ON SCHEMA kb_rag TO PUBLIC;

-- What a session needs to know before it reads anything else. docs/releasing.md says when the format rises. An update that
-- raises it replaces this function, by which open sessions notice.
CREATE FUNCTION kb_rag.format() RETURNS int
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'SELECT 1';
COMMENT ON FUNCTION kb_rag.format() IS 'the format of the catalog and of the tables of knowledge bases: a library of another format does not use them';
REVOKE ALL ON FUNCTION kb_rag.format() FROM PUBLIC;

-- The shape of these two tables never changes: libraries of any format write them. No unique key and no update, so that
-- writers do not wait for each other.
CREATE TABLE kb_rag.missed_write (
    knowledge_base_id uuid NOT NULL,
    source_id uuid
);
COMMENT ON TABLE kb_rag.missed_write IS 'what was written while the library had another format than the catalog: workers, CALL kb_work() and kb_reconcile index it after ALTER EXTENSION UPDATE';
COMMENT ON COLUMN kb_rag.missed_write.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.missed_write.source_id IS 'the source of an attached table whose rows were written; NULL for documents and chunks';
CREATE TABLE kb_rag.worker_refusal (
    library_format int NOT NULL,
    refused_at timestamptz NOT NULL
);
COMMENT ON TABLE kb_rag.worker_refusal IS 'when a worker last ended because its library has another format than the catalog: sessions start no further one for a minute';
COMMENT ON COLUMN kb_rag.worker_refusal.library_format IS 'the format of its library';
COMMENT ON COLUMN kb_rag.worker_refusal.refused_at IS 'when it ended';
SELECT pg_catalog.pg_extension_config_dump('kb_rag.missed_write', '');

-- A dump of this table must restore into any cluster: qualified names are text, never regclass, regconfig or OIDs.
-- No privilege is granted: the functions read it, so that no role can list the bases that it may not read.
CREATE TABLE kb_rag.knowledge_base (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name OPERATOR(pg_catalog.<>) ''),
    slug text NOT NULL UNIQUE,
    schema text NOT NULL UNIQUE,
    description text,
    owner text NOT NULL,
    model text NOT NULL,
    dimensions int NOT NULL CHECK (dimensions OPERATOR(pg_catalog.>=) 1 AND dimensions OPERATOR(pg_catalog.<=) 16000),
    chunk_size int NOT NULL,
    chunk_overlap int NOT NULL,
    chunk_unit text NOT NULL,
    chunk_strategy text NOT NULL,
    text_config text NOT NULL,
    ranker text NOT NULL,
    bm25_k1 float8 NOT NULL,
    bm25_b float8 NOT NULL,
    title_weight float8 NOT NULL,
    heading_weight float8 NOT NULL,
    match_threshold float8 CHECK (match_threshold OPERATOR(pg_catalog.>) -1 AND match_threshold OPERATOR(pg_catalog.<) 1),
    index_method text NOT NULL,
    embed text NOT NULL,
    model_variants text[] NOT NULL DEFAULT '{}',
    next_model text,
    next_dimensions int,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    fold_accents boolean NOT NULL DEFAULT true,
    part_weight float8 NOT NULL DEFAULT 0.25,
    lexeme_format int NOT NULL DEFAULT 1,
    answer_threshold float8 CHECK (answer_threshold OPERATOR(pg_catalog.>) -1 AND answer_threshold OPERATOR(pg_catalog.<) 1),
    log_searches boolean NOT NULL DEFAULT false,
    next_chunk_size int,
    next_chunk_overlap int,
    next_chunk_unit text,
    next_chunk_strategy text,
    summaries text
);
COMMENT ON TABLE kb_rag.knowledge_base IS 'one row per knowledge base: its schema and settings; written by kb_create and kb_drop, listed by kb_list()';
COMMENT ON COLUMN kb_rag.knowledge_base.id IS 'time-ordered identifier; as an agent_id it stands for an agent that searches only this knowledge base';
COMMENT ON COLUMN kb_rag.knowledge_base.name IS 'the name used in function calls';
COMMENT ON COLUMN kb_rag.knowledge_base.slug IS 'the name as a part of an identifier; the schema is kb_ followed by it';
COMMENT ON COLUMN kb_rag.knowledge_base.schema IS 'the schema of its tables, not quoted';
COMMENT ON COLUMN kb_rag.knowledge_base.description IS 'what it is about, for people and agents';
COMMENT ON COLUMN kb_rag.knowledge_base.owner IS 'the role that created the knowledge base; privileges follow from the owner of its tables';
COMMENT ON COLUMN kb_rag.knowledge_base.model IS 'the embedding model, as provider/model';
COMMENT ON COLUMN kb_rag.knowledge_base.dimensions IS 'dimensions of its vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_size IS 'maximum size of a chunk, in chunk_unit';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_overlap IS 'approximate overlap of a chunk with the previous one, in chunk_unit';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_unit IS 'the unit of chunk_size and chunk_overlap';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_strategy IS 'where texts are split';
COMMENT ON COLUMN kb_rag.knowledge_base.ranker IS 'the default ranker of keyword search';
COMMENT ON COLUMN kb_rag.knowledge_base.index_method IS 'the index method of the vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.embed IS 'when vectors are made';
COMMENT ON COLUMN kb_rag.knowledge_base.created_at IS 'when it was created';
COMMENT ON COLUMN kb_rag.knowledge_base.text_config IS 'qualified name of the text search configuration for documents whose language has no configuration';
COMMENT ON COLUMN kb_rag.knowledge_base.bm25_k1 IS 'term frequency saturation of BM25: how soon further occurrences of a word stop counting';
COMMENT ON COLUMN kb_rag.knowledge_base.bm25_b IS 'length normalization of BM25: how much long chunks are penalized, 0 to 1';
COMMENT ON COLUMN kb_rag.knowledge_base.title_weight IS 'weight of a word in the title, relative to one in the text';
COMMENT ON COLUMN kb_rag.knowledge_base.heading_weight IS 'weight of a word in the heading, relative to one in the text';
COMMENT ON COLUMN kb_rag.knowledge_base.match_threshold IS 'the similarity that results of searches must exceed unless a search gives a threshold of its own; NULL for no threshold';
COMMENT ON COLUMN kb_rag.knowledge_base.fold_accents IS 'whether words are also found without their accents; without effect in lexeme format 1';
COMMENT ON COLUMN kb_rag.knowledge_base.part_weight IS 'weight of a part of a word, relative to a word; without effect in lexeme format 1';
COMMENT ON COLUMN kb_rag.knowledge_base.lexeme_format IS 'the format of the lexemes of chunks: 1, that of kb_rag 0.3, or 2; chunks that were written in another one keep it until a worker has changed them';
COMMENT ON COLUMN kb_rag.knowledge_base.answer_threshold IS 'the similarity that the best result must exceed for kb_context, tools and snippets to give any; NULL for that of the model, or none beside a match_threshold';
COMMENT ON COLUMN kb_rag.knowledge_base.log_searches IS 'whether searches that cover only knowledge bases with this setting are logged, even while kb_rag.log_searches is off';
COMMENT ON COLUMN kb_rag.knowledge_base.summaries IS 'the chat model that makes abstract and overview of documents, as provider/model; NULL for none';
COMMENT ON COLUMN kb_rag.knowledge_base.next_model IS 'the model from the end of the pending change on, once all chunks have its vectors: another one, or the same for other chunks; NULL if no change is pending';
COMMENT ON COLUMN kb_rag.knowledge_base.next_dimensions IS 'dimensions of its vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_size IS 'chunk_size from the end of the pending change on; NULL if it does not change how texts are cut, as are the next three columns';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_overlap IS 'chunk_overlap then';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_unit IS 'chunk_unit then';
COMMENT ON COLUMN kb_rag.knowledge_base.next_chunk_strategy IS 'chunk_strategy then';
COMMENT ON COLUMN kb_rag.knowledge_base.model_variants IS 'the weights of the model, int8 or f32, that embedded the knowledge base: those in use when it was created, and others from their first vector on; empty if the model has only one kind';

-- No foreign key: CREATE EXTENSION would create it before a restore loads the rows, and pg_restore with several jobs
-- loads them in any order. kb_attach_agent locks the base's row, kb_drop deletes both.
CREATE TABLE kb_rag.agent_knowledge_base (
    agent_id uuid NOT NULL,
    knowledge_base_id uuid NOT NULL,
    attached_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    filter jsonb NOT NULL DEFAULT '{}' CHECK (pg_catalog.jsonb_typeof(filter) OPERATOR(pg_catalog.=) 'object'),
    PRIMARY KEY (agent_id, knowledge_base_id)
);
CREATE INDEX agent_knowledge_base_knowledge_base_id ON kb_rag.agent_knowledge_base (knowledge_base_id);
COMMENT ON TABLE kb_rag.agent_knowledge_base IS 'which knowledge bases an agent searches; written by kb_attach_agent and kb_detach_agent';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.agent_id IS 'a uuid chosen by the application';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.knowledge_base_id IS 'a knowledge base that its searches cover';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.attached_at IS 'when it was attached';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.filter IS 'what the metadata of a chunk contains that these searches find; {} for all chunks';

CREATE TABLE kb_rag.agent (
    agent_id uuid PRIMARY KEY,
    use_knowledge_base boolean NOT NULL
);
COMMENT ON TABLE kb_rag.agent IS 'the agents that kb_agent_configure was called for, while knowledge bases are attached to them';
COMMENT ON COLUMN kb_rag.agent.agent_id IS 'the agent';
COMMENT ON COLUMN kb_rag.agent.use_knowledge_base IS 'whether its searches find anything, and workers fetch and embed what is for it in the knowledge bases attached to it; true for agents without a row';

SELECT pg_catalog.pg_extension_config_dump('kb_rag.knowledge_base', '');
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

SELECT pg_catalog.pg_extension_config_dump('kb_rag.agent_knowledge_base', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.agent', '');
