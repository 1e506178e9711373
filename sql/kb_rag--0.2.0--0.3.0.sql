-- ALTER EXTENSION kb_rag UPDATE from 0.2.0. docs/releasing.md says how such a script is made and tested.

-- Sessions look the version up again when a function changes; keep this in every update script.
ALTER FUNCTION @extschema@.kb_list() CALLED ON NULL INPUT;

-- Limits on code of the owners of knowledge bases.
ALTER TABLE kb_rag.job ADD COLUMN generation int NOT NULL DEFAULT 0;
COMMENT ON COLUMN kb_rag.job.generation IS 'how many jobs led to it: one that a trigger queues while a worker writes vectors is of the next generation; at 8 the document fails';
ALTER TABLE kb_rag.pause ADD COLUMN exceeded boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN kb_rag.pause.target IS 'a provider, a model as provider/model, a knowledge base as its id, or a kind of its work as its id and the kind of the job';
COMMENT ON COLUMN kb_rag.pause.exceeded IS 'whether code of the owner of a knowledge base ran longer than kb_rag.worker_statement_timeout; until work for it succeeds, one worker at most works for such knowledge bases';

-- kb_rag.status shows kept statistics of bases that the caller has nothing to do with.
CREATE TABLE kb_rag.base_statistics (
    knowledge_base_id uuid PRIMARY KEY,
    documents int8 NOT NULL,
    pending int8 NOT NULL,
    processing int8 NOT NULL,
    indexed int8 NOT NULL,
    failed int8 NOT NULL,
    chunks int8 NOT NULL,
    embedded int8 NOT NULL,
    table_bytes int8,
    index_bytes int8,
    next_embedded int8,
    next_given_up int8,
    activity text NOT NULL,
    seconds float8 NOT NULL,
    counted_at timestamptz NOT NULL
);
COMMENT ON TABLE kb_rag.base_statistics IS 'what kb_rag.status shows of knowledge bases outside of the caller''s circle, and of those that are locked: counted by a background process for bases whose owner is no superuser';
COMMENT ON COLUMN kb_rag.base_statistics.knowledge_base_id IS 'the base';
COMMENT ON COLUMN kb_rag.base_statistics.documents IS 'as in kb_rag.status, of all rows whatever row security says';
COMMENT ON COLUMN kb_rag.base_statistics.pending IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.processing IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.indexed IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.failed IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.chunks IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.embedded IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.table_bytes IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.index_bytes IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.next_embedded IS 'chunks that have a vector of the model that is to take the place of the present one; NULL while none is';
COMMENT ON COLUMN kb_rag.base_statistics.next_given_up IS 'documents that hold up the change of the model';
COMMENT ON COLUMN kb_rag.base_statistics.activity IS 'files and cumulative statistics of the tables document, chunk and embedding before the count: the base is counted again when they differ';
COMMENT ON COLUMN kb_rag.base_statistics.seconds IS 'how long the count took; the next one is made after 20 times as long, or after 2 seconds';
COMMENT ON COLUMN kb_rag.base_statistics.counted_at IS 'when';

DROP VIEW kb_rag.status;
DROP FUNCTION kb_rag.base_status();
CREATE FUNCTION kb_rag.base_status() RETURNS TABLE (
    knowledge_base text, schema text, model text, dimensions int,
    documents int8, pending int8, processing int8, indexed int8, failed int8,
    chunks int8, embedded int8, coverage float8, table_bytes int8, index_bytes int8,
    model_variants text[], variant_in_use text, kernel text,
    oldest_pending interval, paused text, chunks_per_second float8, time_to_go interval, model_change text,
    note text, counted_at timestamptz
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'base_status_wrapper';
COMMENT ON FUNCTION kb_rag.base_status() IS 'the rows of the view kb_rag.status';

CREATE VIEW kb_rag.status AS SELECT * FROM kb_rag.base_status();
COMMENT ON VIEW kb_rag.status IS 'one row per knowledge base you may read: documents by status, chunks, embedded share in percent, model, sizes in bytes (NULL where row security hides documents from you, which are not counted then). Bases of your circle are counted: their owner is a superuser or a role you are a member of, or a privilege on them was granted by name to such a role. The tables of other bases are not touched: their statistics are kept by workers, as of counted_at; model_variants are the weights that embedded the base, variant_in_use those that embed now, kernel the processor''s instructions they use';
COMMENT ON COLUMN kb_rag.status.knowledge_base IS 'its name';
COMMENT ON COLUMN kb_rag.status.schema IS 'where its tables are';
COMMENT ON COLUMN kb_rag.status.model IS 'the embedding model';
COMMENT ON COLUMN kb_rag.status.dimensions IS 'of its vectors';
COMMENT ON COLUMN kb_rag.status.documents IS 'how many there are, whatever their status';
COMMENT ON COLUMN kb_rag.status.pending IS 'documents that wait to be indexed';
COMMENT ON COLUMN kb_rag.status.processing IS 'documents being indexed';
COMMENT ON COLUMN kb_rag.status.indexed IS 'documents that searches find';
COMMENT ON COLUMN kb_rag.status.failed IS 'documents that could not be indexed';
COMMENT ON COLUMN kb_rag.status.chunks IS 'passages';
COMMENT ON COLUMN kb_rag.status.embedded IS 'passages that have a vector';
COMMENT ON COLUMN kb_rag.status.coverage IS 'their share, in percent';
COMMENT ON COLUMN kb_rag.status.table_bytes IS 'size of the tables; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.index_bytes IS 'size of the indexes; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.model_variants IS 'the weights that embedded it';
COMMENT ON COLUMN kb_rag.status.variant_in_use IS 'the weights that embed now';
COMMENT ON COLUMN kb_rag.status.kernel IS 'the processor''s instructions they use';
COMMENT ON COLUMN kb_rag.status.oldest_pending IS 'how long the oldest document waits for its vectors';
COMMENT ON COLUMN kb_rag.status.paused IS 'why its provider is not called, or its documents are left alone, at present, and for how long';
COMMENT ON COLUMN kb_rag.status.chunks_per_second IS 'passages that got a vector from the workers in the last minute, per second; NULL where none did';
COMMENT ON COLUMN kb_rag.status.time_to_go IS 'until all passages have a vector, at this rate';
COMMENT ON COLUMN kb_rag.status.model_change IS 'the model that is to take the place of model, how many percent of the passages have its vectors, and what holds it up';
COMMENT ON COLUMN kb_rag.status.note IS 'why the counts are not those of this moment: statistics kept by workers, for a base outside of your circle; locked by another transaction, whose lock was waited for a second; hidden by row security, where kept statistics would tell of hidden documents; NULL for a base that was counted';
COMMENT ON COLUMN kb_rag.status.counted_at IS 'when documents, chunks and sizes were counted: the time of the statement, or of kept statistics; NULL, like all counts, where none are kept: not counted yet, kb_rag.workers = 0, or hidden by row security';
GRANT SELECT ON kb_rag.status TO PUBLIC;

-- No type but pgvector's, as in a fresh installation: before any function is created here, and at the end.
DO $$
BEGIN
    -- The functions name the type, and the schema they go to is looked through before that of pgvector.
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

-- kb_add with a language. Who may execute it stays as it was.
SELECT pg_catalog.set_config('kb_rag_update.grantees', coalesce((
    SELECT pg_catalog.string_agg(coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'), ', ')
    FROM pg_catalog.pg_proc p
    CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
    LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
    WHERE p.oid OPERATOR(pg_catalog.=) '@extschema@.kb_add(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text)'::pg_catalog.regprocedure
        AND a.grantee OPERATOR(pg_catalog.<>) p.proowner), ''), true);
DROP FUNCTION @extschema@.kb_add(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text);
CREATE FUNCTION @extschema@.kb_add(knowledge_base text, content text, title text DEFAULT NULL::pg_catalog.text, source_key text DEFAULT NULL::pg_catalog.text, source_type text DEFAULT 'document'::pg_catalog.text, metadata jsonb DEFAULT '{}'::pg_catalog.jsonb, mime_type text DEFAULT NULL::pg_catalog.text, language text DEFAULT NULL::pg_catalog.text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_add_document_wrapper';
COMMENT ON FUNCTION @extschema@.kb_add(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text,pg_catalog.text) IS 'adds a document and returns its id; the same source_type and source_key replace it, unchanged text costs nothing; language chooses the text search configuration, NULL leaves it as it is';
DO $$
DECLARE
    grantees pg_catalog.text := pg_catalog.current_setting('kb_rag_update.grantees');
    added pg_catalog.regprocedure := '@extschema@.kb_add(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text,pg_catalog.text)'::pg_catalog.regprocedure;
BEGIN
    -- The privileges of a fresh installation are not written again.
    IF grantees OPERATOR(pg_catalog.<>) 'PUBLIC' THEN
        EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', added);
        IF grantees OPERATOR(pg_catalog.<>) '' THEN
            EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s', added, grantees);
        END IF;
    END IF;
END
$$;
COMMENT ON FUNCTION kb_rag.text_config(pg_catalog.text,pg_catalog.text) IS 'qualified name of the text search configuration for a language, given as an ISO 639-1 code, its English name or its own name; where there is none, the other one';

-- Nobody but the functions writes the catalogue: members of pg_write_all_data could otherwise name a key of the server for a
-- provider of their own, a table of others as attached, or a model that gets the texts of others. Providers, grants and keys are
-- not for pg_read_all_data either. The functions write as the owner of the tables, which is not subject to this.
DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN
        SELECT c.oid, c.relname
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.objid AND c.relkind OPERATOR(pg_catalog.=) 'r'
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE kb_rag.%I ENABLE ROW LEVEL SECURITY', entry.relname);
        IF entry.relname OPERATOR(pg_catalog.<>) ALL (ARRAY['provider', 'provider_grant', 'secret']) THEN
            EXECUTE pg_catalog.format('CREATE POLICY readers ON kb_rag.%I FOR SELECT USING (true)', entry.relname);
        END IF;
    END LOOP;
END
$$;

-- Somebody may have made a type named like pgvector's after the first look.
DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) d.objid
        CROSS JOIN LATERAL pg_catalog.unnest(pg_catalog.array_append(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[]), p.prorettype)) AS a (type)
        JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.type
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND t.typnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend o
                JOIN pg_catalog.pg_extension v ON v.oid OPERATOR(pg_catalog.=) o.refobjid AND v.extname OPERATOR(pg_catalog.=) 'vector'
                WHERE o.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass AND o.objid OPERATOR(pg_catalog.=) t.oid
                    AND o.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND o.deptype OPERATOR(pg_catalog.=) 'e'
            )
    ) THEN
        RAISE EXCEPTION 'a function of the extension has an argument or a result of a type that is neither PostgreSQL''s nor pgvector''s'
            USING ERRCODE = '42804', HINT = 'Drop the extension, then types named like those of pgvector in its schema, and create it again; bases are taken over by kb_adopt.';
    END IF;
END
$$;

-- kb_grant gives nobody corpus and term any more, which hold words of all documents: searches read them as their owner.
DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN
        SELECT DISTINCT n.nspname, f.relname, coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC') AS grantee
        FROM pg_catalog.pg_trigger t
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid AND c.relname OPERATOR(pg_catalog.=) 'chunk'
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        JOIN pg_catalog.pg_class f ON f.relnamespace OPERATOR(pg_catalog.=) c.relnamespace AND f.relowner OPERATOR(pg_catalog.=) c.relowner
            AND f.relkind OPERATOR(pg_catalog.=) 'r' AND f.relname OPERATOR(pg_catalog.=) ANY (ARRAY['corpus', 'term'])
        CROSS JOIN LATERAL pg_catalog.aclexplode(f.relacl) a
        LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
        WHERE t.tgfoid OPERATOR(pg_catalog.=) 'kb_rag.chunk_counted()'::pg_catalog.regprocedure
            AND a.grantee OPERATOR(pg_catalog.<>) f.relowner
    LOOP
        EXECUTE pg_catalog.format('REVOKE ALL ON TABLE %I.%I FROM %s', entry.nspname, entry.relname, entry.grantee);
    END LOOP;
END
$$;
