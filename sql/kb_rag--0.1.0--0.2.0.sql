-- ALTER EXTENSION kb_rag UPDATE from 0.1.0. docs/releasing.md says how such a script is made and tested.

-- Sessions look the version up again when a function changes; keep this in every update script.
ALTER FUNCTION @extschema@.kb_list() CALLED ON NULL INPUT;

-- pg_restore with several jobs could bring the rows of either table first.
ALTER TABLE kb_rag.agent_knowledge_base DROP CONSTRAINT agent_knowledge_base_knowledge_base_id_fkey;

COMMENT ON COLUMN kb_rag.agent_knowledge_base.agent_id IS 'any uuid of an application';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.attached_at IS 'since when';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.knowledge_base_id IS 'a base its searches cover';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_overlap IS 'how many a passage shares with the one before, about';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_size IS 'the most chunk_unit of a passage';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_strategy IS 'where texts are cut';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_unit IS 'what chunk_size and chunk_overlap count';
COMMENT ON COLUMN kb_rag.knowledge_base.created_at IS 'when it was created';
COMMENT ON COLUMN kb_rag.knowledge_base.description IS 'what it is about, for people and agents';
COMMENT ON COLUMN kb_rag.knowledge_base.dimensions IS 'of its vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.embed IS 'when vectors are made';
COMMENT ON COLUMN kb_rag.knowledge_base.id IS 'time-ordered identifier; also that of an agent that has just this base';
COMMENT ON COLUMN kb_rag.knowledge_base.index_method IS 'of the vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.model IS 'the embedding model, as provider/model';
COMMENT ON COLUMN kb_rag.knowledge_base.name IS 'what functions call it';
COMMENT ON COLUMN kb_rag.knowledge_base.ranker IS 'how keyword search ranks where a call does not say';
COMMENT ON COLUMN kb_rag.knowledge_base.schema IS 'the schema of its tables, not quoted';
COMMENT ON COLUMN kb_rag.status.chunks IS 'passages';
COMMENT ON COLUMN kb_rag.status.coverage IS 'their share, in percent';
COMMENT ON COLUMN kb_rag.status.dimensions IS 'of its vectors';
COMMENT ON COLUMN kb_rag.status.documents IS 'how many there are, whatever their status';
COMMENT ON COLUMN kb_rag.status.embedded IS 'passages that have a vector';
COMMENT ON COLUMN kb_rag.status.failed IS 'documents that could not be indexed';
COMMENT ON COLUMN kb_rag.status.index_bytes IS 'size of the indexes; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.indexed IS 'documents that searches find';
COMMENT ON COLUMN kb_rag.status.kernel IS 'the processor''s instructions they use';
COMMENT ON COLUMN kb_rag.status.knowledge_base IS 'its name';
COMMENT ON COLUMN kb_rag.status.model IS 'the embedding model';
COMMENT ON COLUMN kb_rag.status.model_variants IS 'the weights that embedded it';
COMMENT ON COLUMN kb_rag.status.pending IS 'documents that wait to be indexed';
COMMENT ON COLUMN kb_rag.status.processing IS 'documents being indexed';
COMMENT ON COLUMN kb_rag.status.schema IS 'where its tables are';
COMMENT ON COLUMN kb_rag.status.table_bytes IS 'size of the tables; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.variant_in_use IS 'the weights that embed now';
COMMENT ON VIEW kb_rag.status IS 'one row per knowledge base you may read: documents by status, chunks, embedded share in percent, model, sizes in bytes (NULL where row security hides documents from you, which are not counted then); model_variants are the weights that embedded the base, variant_in_use those that embed now, kernel the processor''s instructions they use';

CREATE FUNCTION @extschema@.kb_adopt(schema text, name text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_adopt_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_adopt(pg_catalog.text,pg_catalog.text,pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_adopt(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'takes over the tables of a knowledge base that are in a schema but not in the catalogue, as after DROP EXTENSION or a restore of the schema alone; returns its id';
COMMENT ON FUNCTION @extschema@.kb_attach_agent(pg_catalog.uuid,pg_catalog.text) IS 'lets searches of the agent cover the knowledge base; for its administrators';

CREATE FUNCTION @extschema@.kb_configure(name text, description text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text, dimensions integer DEFAULT NULL::integer, chunk_size integer DEFAULT NULL::integer, chunk_overlap integer DEFAULT NULL::integer, chunk_unit text DEFAULT NULL::pg_catalog.text, chunk_strategy text DEFAULT NULL::pg_catalog.text, text_config regconfig DEFAULT NULL::pg_catalog.regconfig, ranker text DEFAULT NULL::pg_catalog.text, index_method text DEFAULT NULL::pg_catalog.text, embed text DEFAULT NULL::pg_catalog.text, bm25_k1 double precision DEFAULT NULL::double precision, bm25_b double precision DEFAULT NULL::double precision, title_weight double precision DEFAULT NULL::double precision, heading_weight double precision DEFAULT NULL::double precision)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_configure_wrapper';
COMMENT ON FUNCTION @extschema@.kb_configure(pg_catalog.text,pg_catalog.text,pg_catalog.text,integer,integer,integer,pg_catalog.text,pg_catalog.text,pg_catalog.regconfig,pg_catalog.text,pg_catalog.text,pg_catalog.text,double precision,double precision,double precision,double precision) IS 'changes settings of a knowledge base and rebuilds what they touch; NULL leaves a setting as it is; searches go on meanwhile, writers wait';
COMMENT ON FUNCTION @extschema@.kb_detach_agent(pg_catalog.uuid,pg_catalog.text) IS 'ends what kb_attach_agent began; for administrators of the knowledge base';

CREATE FUNCTION @extschema@.kb_grant(name text, role text, privilege text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_grant_wrapper';
COMMENT ON FUNCTION @extschema@.kb_grant(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'gives a role, or public, a privilege on a knowledge base: read, write (which includes read) or admin (which includes write); for its administrators';

CREATE FUNCTION @extschema@.kb_grant_admin(role text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_grant_admin_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_grant_admin(pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_grant_admin(pg_catalog.text) IS 'lets a role, or public, create knowledge bases; for superusers';

CREATE FUNCTION @extschema@.kb_import(knowledge_base text, source regclass, mapping jsonb)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_import_wrapper';
COMMENT ON FUNCTION @extschema@.kb_import(pg_catalog.text,pg_catalog.regclass,pg_catalog.jsonb) IS 'takes over passages and their vectors from a table without embedding anything; mapping names the columns: content, embedding, and optionally document, ordinal, title, heading, language, metadata; returns how many passages';

CREATE FUNCTION @extschema@.kb_reconcile(knowledge_base text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_reconcile_wrapper';
COMMENT ON FUNCTION @extschema@.kb_reconcile(pg_catalog.text) IS 'repairs what was written while triggers were off or came by replication; returns how many documents, and passages and vectors without one, it had to repair';

CREATE FUNCTION @extschema@.kb_reindex(knowledge_base text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_reindex_wrapper';
COMMENT ON FUNCTION @extschema@.kb_reindex(pg_catalog.text) IS 'makes lexemes, figures and indexes of a knowledge base anew; no text is cut or embedded again';

CREATE FUNCTION @extschema@.kb_revoke(name text, role text, privilege text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_revoke_wrapper';
COMMENT ON FUNCTION @extschema@.kb_revoke(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'takes a privilege on a knowledge base, and those that include it, from a role or public; for its administrators';

CREATE FUNCTION @extschema@.kb_revoke_admin(role text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_revoke_admin_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_revoke_admin(pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_revoke_admin(pg_catalog.text) IS 'ends what kb_grant_admin began; knowledge bases the role made stay its own';

-- Bases that are there get what new ones have. A table made here would be the extension's: it is let go.
DO $$
DECLARE
    base record;
    counted text;
BEGIN
    FOR base IN
        SELECT k.id, k.schema, pg_catalog.pg_get_userbyid(c.relowner) AS owner
        FROM kb_rag.knowledge_base k
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('%I.document', k.schema))
        -- Not what somebody put in the place of a base.
        WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND EXISTS (
            SELECT FROM pg_catalog.pg_trigger t
            WHERE t.tgrelid OPERATOR(pg_catalog.=) c.oid
                AND t.tgfoid OPERATOR(pg_catalog.=) 'kb_rag.document_inserted()'::pg_catalog.regprocedure
                AND t.tgargs OPERATOR(pg_catalog.=) (pg_catalog.convert_to(k.id::pg_catalog.text, 'UTF8') OPERATOR(pg_catalog.||) '\x00'::pg_catalog.bytea)
        )
    LOOP
        -- One that its owner altered must not keep the others from the update.
        BEGIN
            EXECUTE pg_catalog.format('ALTER TABLE %I.document ADD COLUMN imported boolean NOT NULL DEFAULT false', base.schema);
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.document.imported IS %L', base.schema,
                'whether kb_import gave its passages and vectors, which stay until title or content change; kept by a trigger');
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.document.mime_type IS %L', base.schema,
                'chooses how the text is chunked where the strategy is auto: text/markdown, or that of a programming language');
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.document.source_type IS %L', base.schema,
                'document, code, webpage or any other kind; searches can ask for one, and code is chunked as such where the strategy is auto');
            EXECUTE pg_catalog.format('CREATE TABLE %I.setting (name text PRIMARY KEY, value text)', base.schema);
            EXECUTE pg_catalog.format('ALTER EXTENSION kb_rag DROP TABLE %I.setting', base.schema);
            EXECUTE pg_catalog.format('ALTER TABLE %I.setting OWNER TO %I', base.schema, base.owner);
            EXECUTE pg_catalog.format('COMMENT ON TABLE %I.setting IS %L', base.schema,
                'the settings of the base, for kb_adopt: written by kb_create and kb_configure');
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.setting.name IS %L', base.schema, 'as in kb_list()');
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.setting.value IS %L', base.schema, 'as text');
            EXECUTE pg_catalog.format('INSERT INTO %I.setting SELECT s.key, s.value FROM kb_rag.knowledge_base k,
                pg_catalog.jsonb_each_text(pg_catalog.to_jsonb(k) OPERATOR(pg_catalog.-) ''{slug,schema,owner,created_at}''::pg_catalog.text[]) s
                WHERE k.id OPERATOR(pg_catalog.=) $1', base.schema) USING base.id;
            EXECUTE pg_catalog.format('COMMENT ON TRIGGER kb_rag_prepare ON %I.document IS %L', base.schema, 'fills the columns that kb_rag keeps');
            EXECUTE pg_catalog.format('COMMENT ON TRIGGER kb_rag_insert ON %I.document IS %L', base.schema, 'chunks and embeds inserted documents');
            EXECUTE pg_catalog.format('COMMENT ON TRIGGER kb_rag_update ON %I.document IS %L', base.schema, 'chunks and embeds what changed');
            FOREACH counted IN ARRAY '{insert,update,delete,truncate}'::pg_catalog.text[] LOOP
                EXECUTE pg_catalog.format('COMMENT ON TRIGGER %I ON %I.chunk IS %L', 'kb_rag_count_' OPERATOR(pg_catalog.||) counted, base.schema, 'keeps the figures for BM25');
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'knowledge base in schema "%" is left as it was: %', base.schema, SQLERRM;
        END;
    END LOOP;
END
$$;
