-- ALTER EXTENSION kb_rag UPDATE from 0.2.0. docs/releasing.md describes how such a script is made and tested.

-- Sessions look the version up again when a function changes; keep this in every update script.
ALTER FUNCTION @extschema@.kb_list() CALLED ON NULL INPUT;

-- First, since functions that the script calls ask for the format.
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

-- Bases that are there: words is length now, by which BM25 ranks. Indexes over it follow.
DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN
        SELECT DISTINCT n.nspname, f.relname
        FROM pg_catalog.pg_trigger t
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid AND c.relname OPERATOR(pg_catalog.=) 'chunk'
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        JOIN pg_catalog.pg_class f ON f.relnamespace OPERATOR(pg_catalog.=) c.relnamespace AND f.relowner OPERATOR(pg_catalog.=) c.relowner
            AND f.relkind OPERATOR(pg_catalog.=) 'r' AND f.relname OPERATOR(pg_catalog.=) 'chunk'
        WHERE t.tgfoid OPERATOR(pg_catalog.=) 'kb_rag.chunk_counted()'::pg_catalog.regprocedure
    LOOP
        -- A base that its owner altered must not keep the others from the update.
        BEGIN
            EXECUTE pg_catalog.format('ALTER TABLE %I.%I RENAME COLUMN words TO length', entry.nspname, entry.relname);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'table "%" in schema "%" is not updated: %', entry.relname, entry.nspname, SQLERRM;
        END;
    END LOOP;
END
$$;

-- Bases that are there: no document has the status processing any more, which none ever had, documents have the hash and the
-- size of a file, and sources have times.
DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN
        SELECT DISTINCT n.nspname
        FROM pg_catalog.pg_trigger t
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid AND c.relname OPERATOR(pg_catalog.=) 'document'
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        WHERE t.tgfoid OPERATOR(pg_catalog.=) 'kb_rag.document_inserted()'::pg_catalog.regprocedure
    LOOP
        -- As above.
        BEGIN
            EXECUTE pg_catalog.format('ALTER TABLE %I.document DROP CONSTRAINT document_status_check, ADD CONSTRAINT document_status_check
                CHECK (status OPERATOR(pg_catalog.=) ANY (ARRAY[''pending'', ''indexed'', ''failed'']))', entry.nspname);
            EXECUTE pg_catalog.format('ALTER TABLE %I.document ADD COLUMN file_hash bytea, ADD COLUMN file_bytes bigint', entry.nspname);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'table "document" in schema "%" is not updated: %', entry.nspname, SQLERRM;
        END;
        BEGIN
            EXECUTE pg_catalog.format('ALTER TABLE %I.source ADD COLUMN created_at timestamptz NOT NULL DEFAULT pg_catalog.now(), ADD COLUMN indexed_at timestamptz', entry.nspname);
            EXECUTE pg_catalog.format('ALTER TABLE %I.source ADD CHECK (status OPERATOR(pg_catalog.=) ANY (ARRAY[''pending'', ''processing'', ''indexed'', ''failed'', ''detached'']))', entry.nspname);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'table "source" in schema "%" is not updated: %', entry.nspname, SQLERRM;
        END;
    END LOOP;
END
$$;

-- The comments in the schemas of existing bases become those that kb_create writes now.
DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN
        SELECT k.schema, v.kind, v.relation, v.name, v.comment
        FROM kb_rag.knowledge_base k
        JOIN pg_catalog.pg_class d ON d.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(pg_catalog.format('%I.document', k.schema))
        CROSS JOIN (VALUES
            ('column', 'source', 'auto_sync', 'whether a URL is fetched again by itself; for information only'),
            ('column', 'source', 'sync_interval', 'how often'),
            ('column', 'source', 'created_at', 'when it was added'),
            ('column', 'source', 'indexed_at', 'when its documents were last complete'),
            ('column', 'source', 'status', 'pending, processing while a URL is being fetched, indexed, failed or detached'),
            ('table', 'document', NULL, 'one text per row; INSERT, UPDATE, DELETE and COPY keep chunk and embedding in sync'),
            ('column', 'document', 'title', 'embedded and indexed with each chunk'),
            ('column', 'document', 'language', 'of the text, as an ISO 639-1 code or the name of a language: chooses the text search configuration; also for filters'),
            ('column', 'document', 'file_hash', 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger'),
            ('column', 'document', 'file_bytes', 'size of that file, in bytes'),
            ('column', 'document', 'imported', 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger'),
            ('column', 'document', 'indexed_at', 'when its chunks were last synced with it; kept by a trigger'),
            ('column', 'document', 'status', 'pending, indexed or failed; kept by a trigger'),
            ('table', 'chunk', NULL, 'one chunk, which is a passage of a document, per row; a changed chunk is a new row'),
            ('column', 'chunk', 'content', 'the text of the chunk, as it stands in the document'),
            ('column', 'chunk', 'ordinal', 'position among the chunks of the document, from 0'),
            ('column', 'chunk', 'page', 'page of the document, from 1: 1 and the number of U+000C before start_char; NULL where its content has none'),
            ('column', 'chunk', 'metadata', 'the metadata of the document with title, source_url or filePath, chunkIndex, language, page and heading added'),
            ('column', 'chunk', 'length', 'how many occurrences of lexemes tsv counts: the document length of BM25'),
            ('trigger', 'chunk', 'kb_rag_count_insert', 'keeps the keyword index'),
            ('trigger', 'chunk', 'kb_rag_count_update', 'keeps the keyword index'),
            ('trigger', 'chunk', 'kb_rag_count_delete', 'keeps the keyword index'),
            ('trigger', 'chunk', 'kb_rag_count_truncate', 'keeps the keyword index')
        ) AS v (kind, relation, name, comment)
        JOIN pg_catalog.pg_class r ON r.relnamespace OPERATOR(pg_catalog.=) d.relnamespace AND r.relowner OPERATOR(pg_catalog.=) d.relowner
            AND r.relkind OPERATOR(pg_catalog.=) 'r' AND r.relname OPERATOR(pg_catalog.=) v.relation
        LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) r.oid AND a.attname OPERATOR(pg_catalog.=) v.name
        LEFT JOIN pg_catalog.pg_trigger t ON t.tgrelid OPERATOR(pg_catalog.=) r.oid AND t.tgname OPERATOR(pg_catalog.=) v.name
        -- Not what somebody put in the place of a base, nor what its owner removed.
        WHERE EXISTS (
                SELECT FROM pg_catalog.pg_trigger o
                WHERE o.tgrelid OPERATOR(pg_catalog.=) d.oid
                    AND o.tgfoid OPERATOR(pg_catalog.=) 'kb_rag.document_inserted()'::pg_catalog.regprocedure
                    AND o.tgargs OPERATOR(pg_catalog.=) (pg_catalog.convert_to(k.id::pg_catalog.text, 'UTF8') OPERATOR(pg_catalog.||) '\x00'::pg_catalog.bytea)
            )
            AND (v.kind OPERATOR(pg_catalog.=) 'table' OR a.attname IS NOT NULL OR t.tgname IS NOT NULL)
    LOOP
        IF entry.kind OPERATOR(pg_catalog.=) 'trigger' THEN
            EXECUTE pg_catalog.format('COMMENT ON TRIGGER %I ON %I.%I IS %L', entry.name, entry.schema, entry.relation, entry.comment);
        ELSIF entry.kind OPERATOR(pg_catalog.=) 'column' THEN
            EXECUTE pg_catalog.format('COMMENT ON COLUMN %I.%I.%I IS %L', entry.schema, entry.relation, entry.name, entry.comment);
        ELSE
            EXECUTE pg_catalog.format('COMMENT ON TABLE %I.%I IS %L', entry.schema, entry.relation, entry.comment);
        END IF;
    END LOOP;
END
$$;

-- Limits on code of the owners of knowledge bases.
ALTER TABLE kb_rag.job ADD COLUMN generation int NOT NULL DEFAULT 0;
COMMENT ON COLUMN kb_rag.job.generation IS 'how many jobs led to it: a job that a trigger queues while a worker writes vectors belongs to the next generation; at 8 the document fails';

-- The threshold of a base for the similarity of results.
ALTER TABLE kb_rag.knowledge_base ADD COLUMN match_threshold float8 CHECK (match_threshold OPERATOR(pg_catalog.>) -1 AND match_threshold OPERATOR(pg_catalog.<) 1);
COMMENT ON COLUMN kb_rag.knowledge_base.match_threshold IS 'the similarity that results of searches must exceed unless a search gives a threshold of its own; NULL for no threshold';

-- Each time of a job has a column of its own.
ALTER TABLE kb_rag.job ADD COLUMN lease_until timestamptz, ADD COLUMN held_up_at timestamptz;
UPDATE kb_rag.job SET lease_until = due_at, due_at = coalesce(claimed_at, created_at) WHERE worker IS NOT NULL;
UPDATE kb_rag.job SET held_up_at = claimed_at, claimed_at = NULL WHERE failed;
DROP INDEX kb_rag.job_due;
CREATE INDEX job_due ON kb_rag.job (knowledge_base_id, kind, (coalesce(lease_until, due_at))) WHERE NOT failed;
COMMENT ON COLUMN kb_rag.job.due_at IS 'when it is to be tried';
COMMENT ON COLUMN kb_rag.job.claimed_at IS 'when it was claimed; NULL if it is not claimed';
COMMENT ON COLUMN kb_rag.job.lease_until IS 'when the claim ends unless its process renews it; NULL if it is not claimed';
COMMENT ON COLUMN kb_rag.job.held_up_at IS 'when a failed job was last seen to block a change of the model';

-- Calls that were answered with what cannot be used may have been paid for: they are counted for each chunk.
ALTER TABLE kb_rag.job ADD COLUMN unusable uuid[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN kb_rag.job.unusable IS 'chunks that were sent and got no usable vector, each as often as it was sent; at 8 times the chunk fails';

-- Workers build IVFFlat indexes and fetch pages. A restored copy fetches nothing until kb_source_sync.
ALTER TABLE kb_rag.job DROP CONSTRAINT job_kind_check, ADD CONSTRAINT job_kind_check
    CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill', 'index', 'source', 'fetch', 'merge', 'repair']));
SELECT pg_catalog.pg_extension_config_dump('kb_rag.job', 'WHERE kind <> ALL (ARRAY[''source'', ''fetch'', ''merge''])');

-- Columns say what is paused. Existing pauses end.
DROP TABLE kb_rag.pause;
CREATE TABLE kb_rag.pause (
    provider text,
    model text,
    knowledge_base_id uuid,
    kind text CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill', 'index', 'source', 'fetch', 'merge', 'repair', 'statistics'])),
    until timestamptz NOT NULL,
    reason text NOT NULL,
    failures int NOT NULL,
    since timestamptz NOT NULL DEFAULT pg_catalog.now(),
    exceeded boolean NOT NULL DEFAULT false,
    tries_one_chunk boolean NOT NULL DEFAULT false,
    CONSTRAINT pause_target CHECK (pg_catalog.num_nonnulls(provider, model, knowledge_base_id) OPERATOR(pg_catalog.=) 1
        AND (kind IS NULL OR knowledge_base_id IS NOT NULL)),
    CONSTRAINT pause_target_key UNIQUE NULLS NOT DISTINCT (provider, model, knowledge_base_id, kind)
);
COMMENT ON TABLE kb_rag.pause IS 'providers, models and work of knowledge bases that are paused';
COMMENT ON COLUMN kb_rag.pause.provider IS 'a provider that is not called';
COMMENT ON COLUMN kb_rag.pause.model IS 'a model that is not called, as provider/model';
COMMENT ON COLUMN kb_rag.pause.knowledge_base_id IS 'a knowledge base that is not worked on';
COMMENT ON COLUMN kb_rag.pause.kind IS 'the kind of its work that is paused, which is that of a job, or statistics; NULL for all work';
COMMENT ON COLUMN kb_rag.pause.until IS 'when it is tried again';
COMMENT ON COLUMN kb_rag.pause.reason IS 'the response of the provider, or the error';
COMMENT ON COLUMN kb_rag.pause.failures IS 'number of failures in a row';
COMMENT ON COLUMN kb_rag.pause.since IS 'when it was first paused';
COMMENT ON COLUMN kb_rag.pause.exceeded IS 'whether code of the owner of a knowledge base ran longer than kb_rag.worker_statement_timeout; until work for it succeeds, at most one worker works for such knowledge bases';
COMMENT ON COLUMN kb_rag.pause.tries_one_chunk IS 'whether one chunk is sent first when it ends: calls that fail may be paid for';

-- kb_rag.status shows kept statistics of bases outside of the caller's circle.
CREATE TABLE kb_rag.base_statistics (
    knowledge_base_id uuid PRIMARY KEY,
    documents int8 NOT NULL,
    pending int8 NOT NULL,
    indexed int8 NOT NULL,
    failed int8 NOT NULL,
    chunks int8 NOT NULL,
    embedded int8 NOT NULL,
    table_bytes int8,
    index_bytes int8,
    unmerged_segments int8,
    next_embedded int8,
    next_given_up int8,
    activity text NOT NULL,
    seconds float8 NOT NULL,
    counted_at timestamptz NOT NULL
);
COMMENT ON TABLE kb_rag.base_statistics IS 'what kb_rag.status shows of knowledge bases outside of the caller''s circle, and of locked ones: counted by a background process for knowledge bases whose owner is not a superuser';
COMMENT ON COLUMN kb_rag.base_statistics.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.base_statistics.documents IS 'as in kb_rag.status, but of all rows, regardless of row security';
COMMENT ON COLUMN kb_rag.base_statistics.pending IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.indexed IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.failed IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.chunks IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.embedded IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.table_bytes IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.index_bytes IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.unmerged_segments IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.next_embedded IS 'chunks that have a vector of the pending model; NULL if there is none';
COMMENT ON COLUMN kb_rag.base_statistics.next_given_up IS 'documents that block the change of the model';
COMMENT ON COLUMN kb_rag.base_statistics.activity IS 'files and cumulative statistics of the tables document, chunk and embedding before the count: the knowledge base is counted again when they differ';
COMMENT ON COLUMN kb_rag.base_statistics.seconds IS 'how long the count took; the next one is made after 20 times as long, and after 2 seconds at the earliest';
COMMENT ON COLUMN kb_rag.base_statistics.counted_at IS 'when the rows were counted';

DROP VIEW kb_rag.status;
DROP FUNCTION kb_rag.base_status();
CREATE FUNCTION kb_rag.base_status() RETURNS TABLE (
    knowledge_base text, schema text, model text, dimensions int,
    documents int8, pending int8, indexed int8, failed int8,
    chunks int8, embedded int8, coverage float8, table_bytes int8, index_bytes int8, unmerged_segments int8,
    model_variants text[], variant_in_use text, kernel text,
    oldest_pending interval, paused text, chunks_per_second float8, time_to_go interval, model_change text,
    note text, counted_at timestamptz
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'status_overview_wrapper';
COMMENT ON FUNCTION kb_rag.base_status() IS 'the rows of the view kb_rag.status';

CREATE VIEW kb_rag.status AS SELECT * FROM kb_rag.base_status();
COMMENT ON VIEW kb_rag.status IS 'one row per knowledge base you may read: documents by status, chunks, share of embedded chunks in percent, model, sizes in bytes (NULL where row security hides documents from you; hidden documents are not counted). Knowledge bases of your circle are counted: their owner is a superuser or a role you are a member of, or a privilege on them was granted by name to such a role. The tables of other knowledge bases are not touched: workers keep their statistics, as of counted_at. model_variants are the weights that embedded the knowledge base, variant_in_use those that embed now, kernel the processor''s instruction set they use';
COMMENT ON COLUMN kb_rag.status.knowledge_base IS 'its name';
COMMENT ON COLUMN kb_rag.status.schema IS 'the schema of its tables';
COMMENT ON COLUMN kb_rag.status.model IS 'the embedding model';
COMMENT ON COLUMN kb_rag.status.dimensions IS 'dimensions of its vectors';
COMMENT ON COLUMN kb_rag.status.documents IS 'number of documents, of any status';
COMMENT ON COLUMN kb_rag.status.pending IS 'documents that wait to be indexed';
COMMENT ON COLUMN kb_rag.status.indexed IS 'documents that searches find';
COMMENT ON COLUMN kb_rag.status.failed IS 'documents that could not be indexed';
COMMENT ON COLUMN kb_rag.status.chunks IS 'number of chunks';
COMMENT ON COLUMN kb_rag.status.embedded IS 'chunks that have a vector';
COMMENT ON COLUMN kb_rag.status.coverage IS 'their share, in percent with one decimal; below 100 until all have one';
COMMENT ON COLUMN kb_rag.status.table_bytes IS 'size of the tables; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.index_bytes IS 'size of the indexes; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.unmerged_segments IS 'small segments of the keyword index that wait to be merged, usually below 100: searches read each of them; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.status.model_variants IS 'the weights that embedded it';
COMMENT ON COLUMN kb_rag.status.variant_in_use IS 'the weights that embed now';
COMMENT ON COLUMN kb_rag.status.kernel IS 'the processor''s instruction set they use';
COMMENT ON COLUMN kb_rag.status.oldest_pending IS 'how long the oldest pending document has waited for its vectors';
COMMENT ON COLUMN kb_rag.status.paused IS 'why its provider is not called, or its documents are not worked on, and for how long';
COMMENT ON COLUMN kb_rag.status.chunks_per_second IS 'chunks that got a vector from the workers in the last minute, per second; NULL if there were none';
COMMENT ON COLUMN kb_rag.status.time_to_go IS 'time until all chunks have a vector, at this rate';
COMMENT ON COLUMN kb_rag.status.model_change IS 'the pending model, the percentage of chunks that have its vectors, and what blocks it';
COMMENT ON COLUMN kb_rag.status.note IS 'why the counts are not current: statistics kept by workers, for a knowledge base outside of your circle; locked by another transaction, which kept its lock for more than a second; hidden by row security, because kept statistics would reveal hidden documents; NULL if the knowledge base was counted. And the roles that read the tables of a knowledge base which row security of an attached table closes to them';
COMMENT ON COLUMN kb_rag.status.counted_at IS 'when documents, chunks and sizes were counted: the time of the statement, or of kept statistics; NULL, like all counts, if there are none: not counted yet, kb_rag.workers = 0, or hidden by row security';
GRANT SELECT ON kb_rag.status TO PUBLIC;

-- rows_before is the number of rows when a table was attached, and does not follow it.
-- Row security of attached tables.
ALTER TABLE kb_rag.attached_table
    ADD COLUMN row_security text NOT NULL DEFAULT 'refuse' CHECK (row_security OPERATOR(pg_catalog.=) ANY (ARRAY['refuse', 'ignore'])),
    ADD COLUMN row_secured boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN kb_rag.attached_table.row_security IS 'refuse or ignore, as kb_attach was told: with refuse the knowledge base is closed to roles to which row security of the table applies';
COMMENT ON COLUMN kb_rag.attached_table.row_secured IS 'whether the table had row security when it was last looked at: with refuse the knowledge base stays closed if the table is dropped';

DROP VIEW kb_rag.source_status;
DROP FUNCTION kb_rag.attached_status();
CREATE FUNCTION kb_rag.source_overview() RETURNS TABLE (
    knowledge_base text, source_id uuid, location text, status text, error_message text, documents int8,
    rows_read int8, rows_before int8, last_synced_at timestamptz, kind text, next_sync_at timestamptz, row_security text
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'source_overview_wrapper';
COMMENT ON FUNCTION kb_rag.source_overview() IS 'the rows of the view kb_rag.source_status';
CREATE VIEW kb_rag.source_status AS SELECT * FROM kb_rag.source_overview();
COMMENT ON VIEW kb_rag.source_status IS 'the tables and URLs that documents of the knowledge bases you may read are made from: their state, and how much of them has been read';
COMMENT ON COLUMN kb_rag.source_status.knowledge_base IS 'name of the knowledge base';
COMMENT ON COLUMN kb_rag.source_status.source_id IS 'the row in its table source';
COMMENT ON COLUMN kb_rag.source_status.location IS 'the table or the URL';
COMMENT ON COLUMN kb_rag.source_status.status IS 'pending while existing rows are being read, or the URL waits; processing while it is being fetched; indexed; or failed';
COMMENT ON COLUMN kb_rag.source_status.error_message IS 'why changes of its rows are not applied, or what could not be fetched';
COMMENT ON COLUMN kb_rag.source_status.documents IS 'number of documents made from it; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.source_status.rows_read IS 'number of rows read, of those that existed when the table was attached; pages of the last crawl that were fetched';
COMMENT ON COLUMN kb_rag.source_status.rows_before IS 'approximate number of rows in the table when it was attached; pages that the last crawl has found';
COMMENT ON COLUMN kb_rag.source_status.last_synced_at IS 'when all rows were last compared with the documents, or all pages fetched';
COMMENT ON COLUMN kb_rag.source_status.kind IS 'table or url';
COMMENT ON COLUMN kb_rag.source_status.next_sync_at IS 'when the URL is fetched again; NULL without auto_sync';
COMMENT ON COLUMN kb_rag.source_status.row_security IS 'of a table, what kb_attach was told: refuse closes the knowledge base to roles to which row security of the table applies, ignore does not; NULL for a URL';
GRANT SELECT ON kb_rag.source_status TO PUBLIC;

-- Pages that could not be fetched are shown beside documents that could not be embedded.
DROP VIEW kb_rag.failed;
DROP FUNCTION kb_rag.failed_jobs();
CREATE FUNCTION kb_rag.failures() RETURNS TABLE (
    knowledge_base text, document_id uuid, source_key text, reason text, attempts int, next_try timestamptz, source_id uuid, url text
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'failures_wrapper';
COMMENT ON FUNCTION kb_rag.failures() IS 'the rows of the view kb_rag.failed';

CREATE VIEW kb_rag.failed AS SELECT * FROM kb_rag.failures();
COMMENT ON VIEW kb_rag.failed IS 'documents of the knowledge bases you may read whose embedding failed, and pages that could not be fetched, with the reason; those with a next_try are retried automatically, the others wait for kb_retry';
COMMENT ON COLUMN kb_rag.failed.knowledge_base IS 'its knowledge base';
COMMENT ON COLUMN kb_rag.failed.document_id IS 'the document; NULL for a page that has none yet';
COMMENT ON COLUMN kb_rag.failed.source_key IS 'its key at the source';
COMMENT ON COLUMN kb_rag.failed.reason IS 'why the last attempt failed';
COMMENT ON COLUMN kb_rag.failed.attempts IS 'number of attempts';
COMMENT ON COLUMN kb_rag.failed.next_try IS 'when it is retried; NULL if it failed permanently';
COMMENT ON COLUMN kb_rag.failed.source_id IS 'the source of a page; NULL for a document that could not be embedded';
COMMENT ON COLUMN kb_rag.failed.url IS 'the URL of the page';
GRANT SELECT ON kb_rag.failed TO PUBLIC;

-- Documents from the web: kb_add_url, and what workers know of its pages. Written by these alone: every writer of a knowledge
-- base may write its table source, so nothing there is ever obeyed. No privilege is granted.

CREATE TABLE kb_rag.web_source (
    source_id uuid PRIMARY KEY,
    knowledge_base_id uuid NOT NULL,
    agent_id uuid,
    location text NOT NULL,
    title text,
    content_type text NOT NULL,
    scrape_method text NOT NULL,
    crawl_depth int NOT NULL,
    max_pages int NOT NULL,
    exclude_patterns text[] NOT NULL,
    metadata jsonb NOT NULL,
    requested_by text NOT NULL,
    auto_sync boolean NOT NULL,
    sync_interval interval NOT NULL,
    crawl int NOT NULL DEFAULT 0,
    scope text,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    CONSTRAINT web_source_location_key UNIQUE NULLS NOT DISTINCT (knowledge_base_id, agent_id, location)
);
COMMENT ON TABLE kb_rag.web_source IS 'the URLs that documents are made from, by knowledge base; written by kb_add_url, listed by kb_source_list()';
COMMENT ON COLUMN kb_rag.web_source.source_id IS 'the row in the table source of the knowledge base';
COMMENT ON COLUMN kb_rag.web_source.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.web_source.agent_id IS 'the agent that it was added for; NULL for none';
COMMENT ON COLUMN kb_rag.web_source.location IS 'the URL';
COMMENT ON COLUMN kb_rag.web_source.title IS 'title of the source';
COMMENT ON COLUMN kb_rag.web_source.content_type IS 'webpage: one page; docs: a site, by its links; github: a repository';
COMMENT ON COLUMN kb_rag.web_source.scrape_method IS 'basic, or the name of a provider of kind firecrawl';
COMMENT ON COLUMN kb_rag.web_source.crawl_depth IS 'how many links are followed from the URL to a page at most';
COMMENT ON COLUMN kb_rag.web_source.max_pages IS 'number of pages or files at most';
COMMENT ON COLUMN kb_rag.web_source.exclude_patterns IS 'globs of paths that are left out';
COMMENT ON COLUMN kb_rag.web_source.metadata IS 'metadata of the documents';
COMMENT ON COLUMN kb_rag.web_source.requested_by IS 'the role that called kb_add_url, whose privileges are checked at each fetch';
COMMENT ON COLUMN kb_rag.web_source.auto_sync IS 'whether it is fetched again when sync_interval has passed';
COMMENT ON COLUMN kb_rag.web_source.sync_interval IS 'how often';
COMMENT ON COLUMN kb_rag.web_source.crawl IS 'number of the last crawl';
COMMENT ON COLUMN kb_rag.web_source.scope IS 'the URL that location redirects to: links below it are followed';
COMMENT ON COLUMN kb_rag.web_source.created_at IS 'when it was added';

CREATE TABLE kb_rag.web_page (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    source_id uuid NOT NULL,
    url text NOT NULL,
    depth int NOT NULL,
    etag text,
    last_modified text,
    status text NOT NULL DEFAULT 'pending' CHECK (status OPERATOR(pg_catalog.=) ANY (ARRAY['pending', 'indexed', 'skipped', 'failed', 'gone'])),
    error text,
    document_id uuid,
    crawl int NOT NULL,
    links text[] NOT NULL DEFAULT '{}',
    CONSTRAINT web_page_url_key UNIQUE (source_id, url)
);
CREATE INDEX web_page_document_id ON kb_rag.web_page (document_id);
COMMENT ON TABLE kb_rag.web_page IS 'the pages of URLs that documents are made from; written by workers';
COMMENT ON COLUMN kb_rag.web_page.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_rag.web_page.source_id IS 'the source';
COMMENT ON COLUMN kb_rag.web_page.url IS 'the URL that is fetched';
COMMENT ON COLUMN kb_rag.web_page.depth IS 'how many links lead to it from the URL of the source';
COMMENT ON COLUMN kb_rag.web_page.etag IS 'ETag of the last answer, sent with the next request';
COMMENT ON COLUMN kb_rag.web_page.last_modified IS 'Last-Modified of the last answer, sent with the next request';
COMMENT ON COLUMN kb_rag.web_page.status IS 'pending: to be fetched; indexed: its document is current; skipped: it gives no document; failed; gone: answered with 404 or 410';
COMMENT ON COLUMN kb_rag.web_page.error IS 'why it failed or was skipped';
COMMENT ON COLUMN kb_rag.web_page.document_id IS 'the document made from it';
COMMENT ON COLUMN kb_rag.web_page.crawl IS 'number of the last crawl that found it';
COMMENT ON COLUMN kb_rag.web_page.links IS 'links of the page that are followed: an answer that it has not changed has none';

-- Not dumped: a restored copy fetches nothing until kb_source_sync.
CREATE TABLE kb_rag.web_schedule (
    source_id uuid PRIMARY KEY,
    next_sync_at timestamptz,
    is_due boolean NOT NULL DEFAULT false,
    is_crawling boolean NOT NULL DEFAULT false,
    is_forced boolean NOT NULL DEFAULT false,
    is_complete boolean NOT NULL DEFAULT true,
    remote_crawl text
);
CREATE INDEX web_schedule_next_sync_at ON kb_rag.web_schedule (next_sync_at);
COMMENT ON TABLE kb_rag.web_schedule IS 'when URLs are fetched again, and their crawls under way; never dumped';
COMMENT ON COLUMN kb_rag.web_schedule.source_id IS 'the source';
COMMENT ON COLUMN kb_rag.web_schedule.next_sync_at IS 'when it is fetched again; NULL without auto_sync';
COMMENT ON COLUMN kb_rag.web_schedule.is_due IS 'whether it was queued because it was due: such sources are fetched one at a time';
COMMENT ON COLUMN kb_rag.web_schedule.is_crawling IS 'whether a crawl is under way';
COMMENT ON COLUMN kb_rag.web_schedule.is_forced IS 'whether pages may be removed even if most would be';
COMMENT ON COLUMN kb_rag.web_schedule.is_complete IS 'whether the crawl has found all pages so far: a page that it does not find is removed';
COMMENT ON COLUMN kb_rag.web_schedule.remote_crawl IS 'identifier of the crawl at Firecrawl';

CREATE TABLE kb_rag.web_host (
    origin text PRIMARY KEY,
    next_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    robots bytea,
    robots_status int,
    robots_until timestamptz
);
COMMENT ON TABLE kb_rag.web_host IS 'the hosts that pages are fetched from: the time of the next request, and their robots.txt; never dumped';
COMMENT ON COLUMN kb_rag.web_host.origin IS 'scheme, host and port';
COMMENT ON COLUMN kb_rag.web_host.next_at IS 'the earliest time of the next request';
COMMENT ON COLUMN kb_rag.web_host.robots IS 'the body of its robots.txt';
COMMENT ON COLUMN kb_rag.web_host.robots_status IS 'the status of the answer';
COMMENT ON COLUMN kb_rag.web_host.robots_until IS 'when it is fetched again';

SELECT pg_catalog.pg_extension_config_dump('kb_rag.web_source', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.web_page', '');

-- Providers that fetch.
INSERT INTO kb_rag.provider (name, builtin, kind, base_url, api_key, owner)
SELECT v.name, true, v.name, v.base_url, NULL, p.owner
FROM kb_rag.provider p, (VALUES ('web', ''), ('github', 'https://api.github.com')) AS v (name, base_url)
WHERE p.name OPERATOR(pg_catalog.=) 'openai' AND p.builtin;

-- No type but pgvector's, as in a new installation: checked before any function is created here, and at the end.
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
            USING ERRCODE = '42710', HINT = 'Drop the type, or give CREATE EXTENSION another schema.';
    END IF;
END
$$;

-- Functions whose arguments or columns change are created again. The privileges on them are kept.
SELECT pg_catalog.set_config(pg_catalog.concat('kb_rag_update.', p.proname), coalesce((
    SELECT pg_catalog.string_agg(coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'), ', ')
    FROM pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
    LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
    WHERE a.grantee OPERATOR(pg_catalog.<>) p.proowner), ''), true)
FROM pg_catalog.pg_depend d
JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) d.objid
WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
    AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
    AND p.proname OPERATOR(pg_catalog.=) ANY (ARRAY['kb_add', 'kb_attach', 'kb_attach_agent', 'kb_configure', 'kb_create', 'kb_hybrid_search', 'kb_list', 'kb_search', 'match_knowledge_chunks']::pg_catalog.name[]);

-- kb_add gets the argument language.
DROP FUNCTION @extschema@.kb_add(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,pg_catalog.text);
CREATE FUNCTION @extschema@.kb_add(knowledge_base text, content text, title text DEFAULT NULL::pg_catalog.text, source_key text DEFAULT NULL::pg_catalog.text, source_type text DEFAULT 'document'::pg_catalog.text, metadata jsonb DEFAULT '{}'::pg_catalog.jsonb, mime_type text DEFAULT NULL::pg_catalog.text, language text DEFAULT NULL::pg_catalog.text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_add_document_wrapper';

-- kb_attach gets the argument row_security.
DROP FUNCTION @extschema@.kb_attach(pg_catalog.regclass,pg_catalog.text,pg_catalog.name,pg_catalog.name,pg_catalog.name[],pg_catalog.text);
CREATE FUNCTION @extschema@.kb_attach(source regclass, knowledge_base text, content name, title name DEFAULT NULL::pg_catalog.name, metadata name[] DEFAULT NULL::pg_catalog.name[], source_type text DEFAULT 'table'::pg_catalog.text, row_security text DEFAULT 'refuse'::pg_catalog.text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_attach_with_row_security_wrapper';

-- An agent has a filter.
DROP FUNCTION @extschema@.kb_attach_agent(pg_catalog.uuid,pg_catalog.text);
CREATE FUNCTION @extschema@.kb_attach_agent(agent_id uuid, knowledge_base text, filter jsonb DEFAULT '{}'::pg_catalog.jsonb)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_attach_agent_with_filter_wrapper';

-- A base has a match_threshold.
DROP FUNCTION @extschema@.kb_configure(pg_catalog.text,pg_catalog.text,pg_catalog.text,integer,integer,integer,pg_catalog.text,pg_catalog.text,pg_catalog.regconfig,pg_catalog.text,pg_catalog.text,pg_catalog.text,double precision,double precision,double precision,double precision);
CREATE FUNCTION @extschema@.kb_configure(name text, description text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text, dimensions integer DEFAULT NULL::integer, chunk_size integer DEFAULT NULL::integer, chunk_overlap integer DEFAULT NULL::integer, chunk_unit text DEFAULT NULL::pg_catalog.text, chunk_strategy text DEFAULT NULL::pg_catalog.text, text_config regconfig DEFAULT NULL::pg_catalog.regconfig, ranker text DEFAULT NULL::pg_catalog.text, index_method text DEFAULT NULL::pg_catalog.text, embed text DEFAULT NULL::pg_catalog.text, bm25_k1 double precision DEFAULT NULL::double precision, bm25_b double precision DEFAULT NULL::double precision, title_weight double precision DEFAULT NULL::double precision, heading_weight double precision DEFAULT NULL::double precision, match_threshold double precision DEFAULT NULL::double precision)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_configure_base_wrapper';
DROP FUNCTION @extschema@.kb_create(pg_catalog.text,pg_catalog.text,pg_catalog.text,integer,integer,integer,pg_catalog.text,pg_catalog.text,pg_catalog.regconfig,pg_catalog.text,pg_catalog.text,pg_catalog.text,double precision,double precision,double precision,double precision);
CREATE FUNCTION @extschema@.kb_create(name text, description text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text, dimensions integer DEFAULT NULL::integer, chunk_size integer DEFAULT 1000, chunk_overlap integer DEFAULT 200, chunk_unit text DEFAULT 'char'::pg_catalog.text, chunk_strategy text DEFAULT 'auto'::pg_catalog.text, text_config regconfig DEFAULT NULL::pg_catalog.regconfig, ranker text DEFAULT 'bm25'::pg_catalog.text, index_method text DEFAULT 'auto'::pg_catalog.text, embed text DEFAULT 'auto'::pg_catalog.text, bm25_k1 double precision DEFAULT 1.2, bm25_b double precision DEFAULT 0.75, title_weight double precision DEFAULT 2, heading_weight double precision DEFAULT 1.5, match_threshold double precision DEFAULT NULL::double precision)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_create_base_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_create FROM PUBLIC;

DROP VIEW kb_rag.usage_daily;
ALTER TABLE kb_rag.usage ADD COLUMN output_tokens int8;
COMMENT ON COLUMN kb_rag.usage.output_tokens IS 'tokens of the replies of a chat model, as the provider counts them';
DROP FUNCTION @extschema@.kb_list();
CREATE FUNCTION @extschema@.kb_list()
 RETURNS TABLE(id uuid, name text, schema text, description text, owner text, model text, dimensions integer, chunk_size integer, chunk_overlap integer, chunk_unit text, chunk_strategy text, text_config text, ranker text, index_method text, embed text, bm25_k1 double precision, bm25_b double precision, title_weight double precision, heading_weight double precision, match_threshold double precision, created_at timestamp with time zone)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'kb_list_with_threshold_wrapper';
COMMENT ON FUNCTION @extschema@.kb_list IS 'the knowledge bases the caller may read, with their settings';
CREATE VIEW kb_rag.usage_daily WITH (security_barrier) AS
    SELECT (u.at AT TIME ZONE 'UTC')::pg_catalog.date AS day, u.knowledge_base, u.model, pg_catalog.sum(u.calls)::pg_catalog.int8 AS calls,
        pg_catalog.sum(u.items)::pg_catalog.int8 AS items, pg_catalog.sum(u.tokens)::pg_catalog.int8 AS tokens, pg_catalog.sum(u.errors)::pg_catalog.int8 AS errors,
        pg_catalog.sum(u.cost) AS cost, pg_catalog.sum(u.output_tokens)::pg_catalog.int8 AS output_tokens
    FROM kb_rag.usage u
    WHERE u.knowledge_base_id OPERATOR(pg_catalog.=) ANY (SELECT b.id FROM @extschema@.kb_list() b)
        OR (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) CURRENT_USER)
    GROUP BY 1, 2, 3;
COMMENT ON VIEW kb_rag.usage_daily IS 'calls of providers, and texts that workers embedded, by day, knowledge base and model, for the knowledge bases you may read; superusers see all';
COMMENT ON COLUMN kb_rag.usage_daily.day IS 'the day, in UTC';
COMMENT ON COLUMN kb_rag.usage_daily.knowledge_base IS 'its name at that time; NULL for calls without a knowledge base';
COMMENT ON COLUMN kb_rag.usage_daily.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.usage_daily.calls IS 'number of calls, including failed ones';
COMMENT ON COLUMN kb_rag.usage_daily.items IS 'texts that were embedded';
COMMENT ON COLUMN kb_rag.usage_daily.tokens IS 'tokens of these texts, or of what a chat model was asked, as far as the provider reported them';
COMMENT ON COLUMN kb_rag.usage_daily.errors IS 'calls that failed';
COMMENT ON COLUMN kb_rag.usage_daily.cost IS 'cost of these tokens, as far as the price is known';
COMMENT ON COLUMN kb_rag.usage_daily.output_tokens IS 'tokens of the replies of chat models, as far as the provider reported them';
GRANT SELECT ON kb_rag.usage_daily TO PUBLIC;

COMMENT ON FUNCTION kb_rag.text_config(pg_catalog.text,pg_catalog.text) IS 'qualified name of the text search configuration for a language, given as an ISO 639-1 code, its English name or its own name; where there is none, the other one';

-- Searches get the arguments syntax and match_threshold, more columns and 64-bit counts.
DROP FUNCTION @extschema@.kb_hybrid_search;
DROP FUNCTION @extschema@.kb_search;
DROP FUNCTION @extschema@.match_knowledge_chunks;
CREATE FUNCTION @extschema@.kb_hybrid_search(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::pg_catalog.text, fusion text DEFAULT 'rrf'::pg_catalog.text, max_per_document bigint DEFAULT NULL::pg_catalog.int8, syntax text DEFAULT 'plain'::pg_catalog.text, match_threshold double precision DEFAULT NULL::pg_catalog.float8)
 RETURNS TABLE(chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision, similarity double precision, keyword_score double precision, semantic_rank integer, keyword_rank integer, metadata jsonb, source_type text, heading text, page integer, ordinal integer, start_char integer, end_char integer)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_hybrid_search_chunks_wrapper';
CREATE FUNCTION @extschema@.kb_search(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, mode text DEFAULT 'hybrid'::pg_catalog.text, match_count bigint DEFAULT 5, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, keyword_weight double precision DEFAULT 1, semantic_weight double precision DEFAULT 1, rrf_k bigint DEFAULT 10, ranker text DEFAULT NULL::pg_catalog.text, fusion text DEFAULT 'relative'::pg_catalog.text, max_per_document bigint DEFAULT NULL::pg_catalog.int8, syntax text DEFAULT 'plain'::pg_catalog.text, match_threshold double precision DEFAULT NULL::pg_catalog.float8)
 RETURNS TABLE(chunk_id uuid, document_id uuid, knowledge_base text, title text, source text, content text, score double precision, similarity double precision, keyword_score double precision, semantic_rank integer, keyword_rank integer, metadata jsonb, source_type text, heading text, page integer, ordinal integer, start_char integer, end_char integer)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 5
AS 'MODULE_PATHNAME', 'kb_search_chunks_wrapper';
CREATE FUNCTION @extschema@.match_knowledge_chunks(p_agent_id uuid, p_query_embedding vector, p_match_count bigint DEFAULT 5, p_match_threshold double precision DEFAULT 0.3)
 RETURNS TABLE(id uuid, content text, similarity double precision, metadata jsonb)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 10000 ROWS 5
AS 'MODULE_PATHNAME', 'match_knowledge_chunks_by_bigint_wrapper';
COMMENT ON FUNCTION @extschema@.kb_search IS 'kb_hybrid_search with a mode: hybrid, semantic or keyword; hybrid is fused by relative score by default';

-- The privileges on functions that were created again.
DO $$
DECLARE
    entry record;
    shipped pg_catalog.aclitem[];
BEGIN
    FOR entry IN
        SELECT p.oid::pg_catalog.regprocedure AS created, pg_catalog.current_setting(pg_catalog.concat('kb_rag_update.', p.proname)) AS grantees
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) d.objid
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND p.proname OPERATOR(pg_catalog.=) ANY (ARRAY['kb_add', 'kb_attach', 'kb_attach_agent', 'kb_configure', 'kb_create', 'kb_hybrid_search', 'kb_list', 'kb_search', 'match_knowledge_chunks']::pg_catalog.name[])
    LOOP
        shipped := (
            SELECT i.initprivs FROM pg_catalog.pg_init_privs i
            WHERE i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.objoid OPERATOR(pg_catalog.=) entry.created::pg_catalog.oid
        );
        -- The default privileges are not written again.
        CONTINUE WHEN entry.grantees OPERATOR(pg_catalog.=) (CASE WHEN shipped IS NULL THEN 'PUBLIC' ELSE '' END);
        EXECUTE pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', entry.created);
        IF entry.grantees OPERATOR(pg_catalog.<>) '' THEN
            EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s', entry.created, entry.grantees);
        END IF;
        -- PostgreSQL takes what a script grants for privileges of the extension itself: pg_dump would leave them out, and
        -- kb_grant_admin could miss the function.
        DELETE FROM pg_catalog.pg_init_privs i
        WHERE i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.objoid OPERATOR(pg_catalog.=) entry.created::pg_catalog.oid
            AND shipped IS NULL;
        UPDATE pg_catalog.pg_init_privs i SET initprivs = shipped
        WHERE i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.objoid OPERATOR(pg_catalog.=) entry.created::pg_catalog.oid;
        -- Since PostgreSQL 17 there are dependencies on the roles in them.
        DELETE FROM pg_catalog.pg_shdepend h
        WHERE h.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND h.objid OPERATOR(pg_catalog.=) entry.created::pg_catalog.oid
            AND h.dbid OPERATOR(pg_catalog.=) (SELECT b.oid FROM pg_catalog.pg_database b WHERE b.datname OPERATOR(pg_catalog.=) pg_catalog.current_database())
            AND h.deptype OPERATOR(pg_catalog.=) 'i';
    END LOOP;
END
$$;

CREATE FUNCTION @extschema@.kb_rename(knowledge_base text, new_name text) RETURNS void
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_rename_wrapper';
COMMENT ON FUNCTION @extschema@.kb_rename IS 'renames a knowledge base, whose schema keeps its name; for its owner';

-- Agents.
ALTER TABLE kb_rag.agent_knowledge_base ADD COLUMN filter jsonb NOT NULL DEFAULT '{}' CHECK (pg_catalog.jsonb_typeof(filter) OPERATOR(pg_catalog.=) 'object');
COMMENT ON COLUMN kb_rag.agent_knowledge_base.filter IS 'what the metadata of a chunk contains that these searches find; {} for all chunks';
CREATE FUNCTION @extschema@.kb_agent(name text) RETURNS uuid
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'kb_agent_wrapper';
COMMENT ON FUNCTION @extschema@.kb_agent IS 'the identifier of an agent that an application calls by a name: the name itself if it is a uuid, else its UUIDv5';
CREATE FUNCTION @extschema@.kb_agent_list(knowledge_base text DEFAULT NULL::pg_catalog.text) RETURNS TABLE (agent_id uuid, knowledge_base text, filter jsonb)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kb_agent_list_wrapper';
COMMENT ON FUNCTION @extschema@.kb_agent_list IS 'the knowledge bases attached to agents, with their filters: of one knowledge base, or of all that the caller may read';
CREATE FUNCTION @extschema@.kb_agent_drop(agent_id uuid, delete_documents boolean DEFAULT false) RETURNS bigint
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_agent_drop_wrapper';
COMMENT ON FUNCTION @extschema@.kb_agent_drop IS 'detaches all knowledge bases from an agent, for administrators of all of them, and deletes its URLs and documents with its agent_id in their metadata if delete_documents is true; returns how many documents';
CREATE FUNCTION @extschema@.kb_context(query text, knowledge_base text DEFAULT NULL::pg_catalog.text, match_count bigint DEFAULT 5, match_threshold double precision DEFAULT 0.3, style text DEFAULT 'relevance'::pg_catalog.text, mode text DEFAULT 'hybrid'::pg_catalog.text, filter jsonb DEFAULT '{}'::pg_catalog.jsonb, source_type text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid, query_embedding vector DEFAULT NULL, max_chars bigint DEFAULT NULL::pg_catalog.int8) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kb_context_wrapper';
CREATE FUNCTION @extschema@.kb_extract(file bytea, filename text DEFAULT NULL::pg_catalog.text, mime_type text DEFAULT NULL::pg_catalog.text, password text DEFAULT NULL::pg_catalog.text) RETURNS TABLE (page integer, title text, content text, error text, mime_type text, language text)
    LANGUAGE c COST 100000 ROWS 10 AS 'MODULE_PATHNAME', 'kb_extract_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_extract FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_extract IS 'the text of a PDF, HTML, DOCX, Markdown or text file: one row a page, or one row; needs EXECUTE, which kb_grant_admin grants';
CREATE FUNCTION @extschema@.kb_add_file(knowledge_base text, file bytea, filename text, title text DEFAULT NULL::pg_catalog.text, source_key text DEFAULT NULL::pg_catalog.text, source_type text DEFAULT NULL::pg_catalog.text, metadata jsonb DEFAULT '{}'::pg_catalog.jsonb, mime_type text DEFAULT NULL::pg_catalog.text, language text DEFAULT NULL::pg_catalog.text, password text DEFAULT NULL::pg_catalog.text, source_id uuid DEFAULT NULL::pg_catalog.uuid) RETURNS uuid
    LANGUAGE c COST 100000 AS 'MODULE_PATHNAME', 'kb_add_file_wrapper';
COMMENT ON FUNCTION @extschema@.kb_add_file IS 'adds a file to a knowledge base as one document: reads its text, and replaces the document of the same source_id, source_type and source_key; the same file again costs nothing';
CREATE FUNCTION @extschema@.kb_add_url(knowledge_base text, url text, title text DEFAULT NULL::pg_catalog.text, content_type text DEFAULT 'webpage'::pg_catalog.text, metadata jsonb DEFAULT '{}'::pg_catalog.jsonb, crawl_depth integer DEFAULT 1, max_pages integer DEFAULT 50, exclude_patterns text[] DEFAULT '{}'::pg_catalog.text[], scrape_method text DEFAULT 'basic'::pg_catalog.text, auto_sync boolean DEFAULT false, sync_interval interval DEFAULT '24:00:00'::pg_catalog.interval, agent_id uuid DEFAULT NULL::pg_catalog.uuid) RETURNS uuid
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_add_url_wrapper';
COMMENT ON FUNCTION @extschema@.kb_add_url IS 'adds a page, a site or a repository: workers fetch it and make documents of its pages; the same URL of the same agent again gets the new settings and is fetched again; returns the id of the source';
CREATE FUNCTION @extschema@.kb_source_sync(source_id uuid DEFAULT NULL::pg_catalog.uuid, force boolean DEFAULT false) RETURNS bigint
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_source_sync_wrapper';
COMMENT ON FUNCTION @extschema@.kb_source_sync IS 'has a source fetched again, or those that are due; with force, pages are removed even if most would be; returns how many were queued';
CREATE FUNCTION @extschema@.kb_source_list(knowledge_base text DEFAULT NULL::pg_catalog.text, agent_id uuid DEFAULT NULL::pg_catalog.uuid)
    RETURNS TABLE (source_id uuid, knowledge_base text, agent_id uuid, kind text, location text, title text, content_type text, scrape_method text, crawl_depth integer, exclude_patterns text[], metadata jsonb, status text, error_message text, documents bigint, chunks bigint, created_at timestamptz, indexed_at timestamptz, auto_sync boolean, sync_interval interval, last_synced_at timestamptz, next_sync_at timestamptz)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kb_source_list_wrapper';
COMMENT ON FUNCTION @extschema@.kb_source_list IS 'the sources of a knowledge base, or of those the caller may read: URLs, attached tables and directories, with their state and their documents';
CREATE FUNCTION @extschema@.kb_source_drop(source_id uuid) RETURNS void
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_source_drop_wrapper';
COMMENT ON FUNCTION @extschema@.kb_source_drop IS 'removes a URL with its documents, chunks and jobs';
CREATE FUNCTION @extschema@.kb_tools(agent_id uuid DEFAULT NULL::pg_catalog.uuid, format text DEFAULT 'mcp'::pg_catalog.text) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kb_tools_wrapper';
CREATE FUNCTION @extschema@.kb_call_tool(name text, arguments jsonb, agent_id uuid DEFAULT NULL::pg_catalog.uuid, session_id text DEFAULT NULL::pg_catalog.text) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_call_tool_wrapper';
CREATE FUNCTION @extschema@.kb_snippets(messages jsonb, top_k bigint DEFAULT 5, agent_id text DEFAULT NULL::pg_catalog.text, session_id text DEFAULT NULL::pg_catalog.text) RETURNS jsonb
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_snippets_wrapper';

-- Prompts.
CREATE TABLE kb_rag.prompt (
    id text NOT NULL,
    version int NOT NULL,
    content text NOT NULL,
    owner text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (id, version)
);
COMMENT ON TABLE kb_rag.prompt IS 'versions of prompts: instructions for rewriting conversations, which search blocks of manifests refer to';
COMMENT ON COLUMN kb_rag.prompt.id IS 'name of the prompt';
COMMENT ON COLUMN kb_rag.prompt.version IS 'number of the version, from 1';
COMMENT ON COLUMN kb_rag.prompt.content IS 'the instructions, which are added to the built-in ones';
COMMENT ON COLUMN kb_rag.prompt.owner IS 'the role that may add versions';
COMMENT ON COLUMN kb_rag.prompt.created_at IS 'when the version was added';
SELECT pg_catalog.pg_extension_config_dump('kb_rag.prompt', '');

CREATE FUNCTION @extschema@.kb_retrieve(search jsonb, messages jsonb, session_id text DEFAULT NULL::pg_catalog.text, agent_id text DEFAULT NULL::pg_catalog.text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_retrieve_wrapper';
CREATE FUNCTION @extschema@.kb_check_search(search jsonb) RETURNS void
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_check_search_wrapper';
CREATE FUNCTION @extschema@.kb_rewrite_query(messages jsonb, instructions text DEFAULT NULL::pg_catalog.text, model text DEFAULT NULL::pg_catalog.text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_rewrite_query_wrapper';
CREATE FUNCTION @extschema@.kb_prompt_set(id text, content text) RETURNS integer
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_prompt_set_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_prompt_set FROM PUBLIC;
CREATE FUNCTION @extschema@.kb_prompt_list() RETURNS TABLE (id text, version integer, content text, owner text, created_at timestamptz)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kb_prompt_list_wrapper';
ALTER FUNCTION @extschema@.kb_context COST 100000;
ALTER FUNCTION @extschema@.kb_call_tool COST 100000;
ALTER FUNCTION @extschema@.kb_snippets COST 100000;
ALTER FUNCTION @extschema@.kb_retrieve COST 100000;
ALTER FUNCTION @extschema@.kb_rewrite_query COST 100000;
COMMENT ON FUNCTION @extschema@.kb_context IS 'the passages for a question as one text for the prompt of a chat model, or NULL if none passes the threshold: style relevance puts [Relevance: 87%] before each, source puts [Source: guide.pdf]; max_chars limits its length in characters';
COMMENT ON FUNCTION @extschema@.kb_tools IS 'the tools that a chat model may call, as a JSON array: a search for each knowledge base of the agent (of at most 20; without an agent those of the caller), search_knowledge and read_knowledge; format is mcp or openai';
COMMENT ON FUNCTION @extschema@.kb_call_tool IS 'the result of a tool of kb_tools: content for the model, sources for people, and isError if the arguments are wrong or a model failed; an unknown tool is an error; session_id names the conversation in kb_rag.search_history';
COMMENT ON FUNCTION @extschema@.kb_snippets IS 'the texts of the best passages for a conversation, as a JSON array of strings; the query is the last message of the customer, or what kb_rag.chat_model makes of the conversation; a failure is a warning and the array empty';
COMMENT ON FUNCTION @extschema@.kb_retrieve IS 'what an agent with this search block of a manifest gets for a conversation: texts of a table with vectors (type pgvector) or of an HTTP endpoint (type external), joined by lines of three hyphens; NULL if nothing is found, without a block, and with a warning after a failure';
COMMENT ON FUNCTION @extschema@.kb_check_search IS 'checks the search block of a manifest, or a whole manifest, without calling a provider; the error names every mistake';
COMMENT ON FUNCTION @extschema@.kb_rewrite_query IS 'one search query of at most 2,000 characters for a conversation, by a chat model (provider/model, by default kb_rag.chat_model) that gets the instructions after its own; without a chat model, and with a warning where it fails, the last message of the customer';
COMMENT ON FUNCTION @extschema@.kb_prompt_set IS 'adds a version of a prompt, which search blocks of manifests refer to by its id; returns its number, from 1; only the owner of the prompt adds versions';
COMMENT ON FUNCTION @extschema@.kb_prompt_list IS 'all versions of all prompts, the newest first';

-- The log of what agents searched for.
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
COMMENT ON TABLE kb_rag.search_log IS 'calls of kb_call_tool, kb_snippets and kb_retrieve while kb_rag.log_searches is on; rows older than kb_rag.log_retention are deleted; not dumped';
COMMENT ON COLUMN kb_rag.search_log.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_rag.search_log.at IS 'when the call ended';
COMMENT ON COLUMN kb_rag.search_log.role IS 'the role that called';
COMMENT ON COLUMN kb_rag.search_log.agent_id IS 'the agent, as it was given';
COMMENT ON COLUMN kb_rag.search_log.session_id IS 'the conversation, as the application calls it';
COMMENT ON COLUMN kb_rag.search_log.tool IS 'the tool, kb_snippets or kb_retrieve';
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
COMMENT ON VIEW kb_rag.search_history IS 'the log of kb_call_tool, kb_snippets and kb_retrieve: calls that searched only knowledge bases you administer, and your own calls; none whose knowledge bases hide documents from you by row security';
COMMENT ON COLUMN kb_rag.search_history.at IS 'when the call ended';
COMMENT ON COLUMN kb_rag.search_history.role IS 'the role that called';
COMMENT ON COLUMN kb_rag.search_history.agent_id IS 'the agent, as it was given';
COMMENT ON COLUMN kb_rag.search_history.session_id IS 'the conversation, as the application calls it';
COMMENT ON COLUMN kb_rag.search_history.tool IS 'the tool, kb_snippets or kb_retrieve';
COMMENT ON COLUMN kb_rag.search_history.knowledge_bases IS 'the knowledge bases that were searched';
COMMENT ON COLUMN kb_rag.search_history.query IS 'the question, or the id of the document that was read; the arguments if they have neither';
COMMENT ON COLUMN kb_rag.search_history.results IS 'what was found: an array of objects with source, title, knowledge_base, score, similarity, document_id, chunk_id and content';
COMMENT ON COLUMN kb_rag.search_history.milliseconds IS 'how long it took: rewrite (with a chat model), embed, search (without these) and total';
COMMENT ON COLUMN kb_rag.search_history.error IS 'why the call failed; NULL if it did not';
GRANT SELECT ON kb_rag.search_history TO PUBLIC;


-- Documents one by one.
CREATE FUNCTION @extschema@.kb_search_documents(query text, knowledge_base text DEFAULT NULL, match_count bigint DEFAULT 5, mode text DEFAULT 'hybrid', filter jsonb DEFAULT '{}', source_type text DEFAULT NULL, agent_id uuid DEFAULT NULL, query_embedding vector DEFAULT NULL, match_threshold double precision DEFAULT NULL, level text DEFAULT 'overview')
    RETURNS TABLE (document_id uuid, knowledge_base text, title text, source text, source_type text, abstract text, overview text, text text, score double precision, similarity double precision, best_chunk_id uuid, metadata jsonb)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 100000 ROWS 5 AS 'MODULE_PATHNAME', 'kb_search_documents_wrapper';
CREATE FUNCTION @extschema@.kb_read(document_id uuid, level text DEFAULT 'content', knowledge_base text DEFAULT NULL)
    RETURNS TABLE (document_id uuid, knowledge_base text, title text, source text, source_type text, mime_type text, language text, status text, error_message text, chunks bigint, abstract text, overview text, text text, metadata jsonb, created_at timestamptz, updated_at timestamptz)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10000 ROWS 1 AS 'MODULE_PATHNAME', 'kb_read_wrapper';
CREATE FUNCTION @extschema@.kb_browse(knowledge_base text DEFAULT NULL, source_type text DEFAULT NULL, match_count bigint DEFAULT 20, match_offset bigint DEFAULT 0)
    RETURNS TABLE (document_id uuid, knowledge_base text, title text, source text, source_type text, mime_type text, status text, error_message text, chunks bigint, abstract text, created_at timestamptz, updated_at timestamptz)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10000 ROWS 20 AS 'MODULE_PATHNAME', 'kb_browse_wrapper';
CREATE FUNCTION @extschema@.kb_stats(knowledge_base text DEFAULT NULL::pg_catalog.text) RETURNS TABLE (source_type text, documents bigint, chunks bigint, failed bigint)
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10000 ROWS 5 AS 'MODULE_PATHNAME', 'kb_stats_wrapper';
CREATE FUNCTION @extschema@.kb_delete(document_id uuid, knowledge_base text DEFAULT NULL::pg_catalog.text) RETURNS boolean
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_delete_wrapper';
CREATE FUNCTION @extschema@.kb_refresh(document_id uuid, knowledge_base text DEFAULT NULL::pg_catalog.text) RETURNS boolean
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_refresh_wrapper';
CREATE FUNCTION @extschema@.kb_add_output(knowledge_base text, output text, agent_id text DEFAULT NULL::pg_catalog.text, title text DEFAULT NULL::pg_catalog.text, metadata jsonb DEFAULT '{}'::pg_catalog.jsonb) RETURNS uuid
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_add_output_wrapper';
COMMENT ON FUNCTION @extschema@.kb_search_documents IS 'the documents of the best chunks for a question, one row each, with their summaries and the text at a level: abstract, overview or content; best first';
COMMENT ON FUNCTION @extschema@.kb_read IS 'one document with its text at a level: abstract, overview or content; an error if there is none that the caller may see';
COMMENT ON FUNCTION @extschema@.kb_browse IS 'the documents the caller may see, the newest first, page by page: match_count of them, after match_offset';
COMMENT ON FUNCTION @extschema@.kb_stats IS 'the documents the caller may see by source_type: how many there are, how many chunks they have and how many of them failed';
COMMENT ON FUNCTION @extschema@.kb_delete IS 'deletes a document; returns false if there is none that the caller may see and delete';
COMMENT ON FUNCTION @extschema@.kb_refresh IS 'splits one document again by the settings of its knowledge base and embeds all of it, and has the page it was made from fetched again; returns false if there is none that the caller may see and change';
COMMENT ON FUNCTION @extschema@.kb_add_output IS 'adds what an agent wrote as a document of source_type agent_output and returns its id, or NULL where kb_rag.auto_index is off or the text is not longer than kb_rag.auto_index_min_chars; agent_id is a name or a uuid, as kb_agent takes it';

-- A view for applications with SQL of their own.
CREATE FUNCTION @extschema@.kb_expose(knowledge_base text, layout text DEFAULT 'pgvector'::pg_catalog.text) RETURNS text
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_expose_wrapper';
COMMENT ON FUNCTION @extschema@.kb_expose IS 'makes the view collection of the chunks in the schema of a knowledge base, for applications that search with SQL of their own, and returns its name: id, vec, and metadata with the text as content; for its administrators';

-- Comments whose wording has changed.
COMMENT ON COLUMN kb_rag.knowledge_base.id IS 'time-ordered identifier; as an agent_id it stands for an agent that searches only this knowledge base';
COMMENT ON COLUMN kb_rag.knowledge_base.name IS 'the name used in function calls';
COMMENT ON COLUMN kb_rag.knowledge_base.owner IS 'the role that created the knowledge base; privileges follow from the owner of its tables';
COMMENT ON COLUMN kb_rag.knowledge_base.dimensions IS 'dimensions of its vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_size IS 'maximum size of a chunk, in chunk_unit';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_overlap IS 'approximate overlap of a chunk with the previous one, in chunk_unit';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_unit IS 'the unit of chunk_size and chunk_overlap';
COMMENT ON COLUMN kb_rag.knowledge_base.chunk_strategy IS 'where texts are split';
COMMENT ON COLUMN kb_rag.knowledge_base.ranker IS 'the default ranker of keyword search';
COMMENT ON COLUMN kb_rag.knowledge_base.index_method IS 'the index method of the vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.text_config IS 'qualified name of the text search configuration for documents whose language has no configuration';
COMMENT ON COLUMN kb_rag.knowledge_base.bm25_k1 IS 'term frequency saturation of BM25: how soon further occurrences of a word stop counting';
COMMENT ON COLUMN kb_rag.knowledge_base.bm25_b IS 'length normalization of BM25: how much long chunks are penalized, 0 to 1';
COMMENT ON COLUMN kb_rag.knowledge_base.title_weight IS 'weight of a word in the title, relative to one in the text';
COMMENT ON COLUMN kb_rag.knowledge_base.heading_weight IS 'weight of a word in the heading, relative to one in the text';
COMMENT ON COLUMN kb_rag.knowledge_base.next_model IS 'the pending model, which replaces model once all chunks have its vectors; NULL if no change is pending';
COMMENT ON COLUMN kb_rag.knowledge_base.next_dimensions IS 'dimensions of its vectors';
COMMENT ON COLUMN kb_rag.knowledge_base.model_variants IS 'the weights of the model, int8 or f32, that embedded the knowledge base: those in use when it was created, and others from their first vector on; empty if the model has only one kind';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.agent_id IS 'a uuid chosen by the application';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.knowledge_base_id IS 'a knowledge base that its searches cover';
COMMENT ON COLUMN kb_rag.agent_knowledge_base.attached_at IS 'when it was attached';
COMMENT ON FUNCTION kb_rag.document_prepare() IS 'sets content_hash, status and timestamps of a document that is written';
COMMENT ON FUNCTION kb_rag.document_updated() IS 'chunks and embeds the changed parts of updated documents, as the owner of the table';
COMMENT ON FUNCTION kb_rag.chunk_counted() IS 'keeps the keyword index in sync with the table chunk, as the owner of the table';
COMMENT ON TABLE kb_rag.job IS 'the work queue: filled by triggers and functions, emptied by workers and CALL kb_work()';
COMMENT ON COLUMN kb_rag.job.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.job.kind IS 'embed: vectors of a document; change: its vectors of the pending model; backfill: rows of an attached table; index: the IVFFlat index; source: pages of a URL to find; fetch: one page; merge: segments of the keyword index; repair: what was written while the library had another format than the catalog';
COMMENT ON COLUMN kb_rag.job.target IS 'the document, the source, or for an index the knowledge base';
COMMENT ON COLUMN kb_rag.job.attempts IS 'number of attempts without success, including the current one';
COMMENT ON COLUMN kb_rag.job.worker IS 'process ID of the worker that has claimed it';
COMMENT ON COLUMN kb_rag.job.failed IS 'whether it failed permanently; kb_retry retries it';
COMMENT ON TABLE kb_rag.provider IS 'services that embed texts or fetch pages; written by kb_provider_set, listed by kb_provider_list()';
COMMENT ON COLUMN kb_rag.provider.name IS 'the first part of the names of its models';
COMMENT ON COLUMN kb_rag.provider.builtin IS 'whether it was installed with the extension; a row of the same name that was not takes precedence';
COMMENT ON COLUMN kb_rag.provider.base_url IS 'the URL that the path of a call is appended to; empty for the web';
COMMENT ON COLUMN kb_rag.provider.timeout IS 'time limit of one call';
COMMENT ON COLUMN kb_rag.provider.batch_items IS 'maximum number of texts in one call; NULL for the known limit of the service';
COMMENT ON COLUMN kb_rag.provider.batch_tokens IS 'maximum number of tokens in one call';
COMMENT ON COLUMN kb_rag.provider.batch_bytes IS 'maximum number of bytes in one call';
COMMENT ON COLUMN kb_rag.provider.price_per_million IS 'price of a million tokens, in the currency of your choice; NULL for the known price of the model';
COMMENT ON TABLE kb_rag.provider_grant IS 'the roles that may use a provider in addition to its owner; written by kb_provider_grant and kb_provider_revoke';
COMMENT ON COLUMN kb_rag.provider_grant.provider IS 'name of the provider';
COMMENT ON COLUMN kb_rag.provider_grant.role IS 'a role, or public for all roles';
COMMENT ON TABLE kb_rag.secret IS 'keys stored by kb_secret_set; never dumped';
COMMENT ON COLUMN kb_rag.secret.name IS 'the name that follows secret: in a reference to the key';
COMMENT ON COLUMN kb_rag.secret.origin IS 'the only origin it is sent to: scheme, host and port';
COMMENT ON TABLE kb_rag.usage IS 'calls of providers, and texts that workers embedded with local models; rows are only ever added; kb_rag.usage_daily adds them up';
COMMENT ON COLUMN kb_rag.usage.knowledge_base_id IS 'the knowledge base; NULL for kb_provider_test';
COMMENT ON COLUMN kb_rag.usage.knowledge_base IS 'its name at that time';
COMMENT ON COLUMN kb_rag.usage.at IS 'when the calls were made';
COMMENT ON COLUMN kb_rag.usage.calls IS 'number of calls, including failed ones';
COMMENT ON COLUMN kb_rag.usage.tokens IS 'tokens of these texts, or of what a chat model was asked, as the provider counts them; NULL if it does not report them';
COMMENT ON COLUMN kb_rag.usage.cost IS 'cost of these tokens; NULL if the price or the tokens are not known';
COMMENT ON TABLE kb_rag.query_cache IS 'vectors of queries that kb_warm_query embedded, kept for kb_rag.query_cache_ttl; searches read them';
COMMENT ON COLUMN kb_rag.query_cache.dimensions IS 'dimensions of the vector';
COMMENT ON COLUMN kb_rag.attached_table.source_id IS 'the row in the table source of the knowledge base';
COMMENT ON COLUMN kb_rag.attached_table.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.attached_table.relation IS 'OID of the table that numbers refers to';
COMMENT ON COLUMN kb_rag.attached_table.uses IS 'how each column is used: content, title, key or metadata';
COMMENT ON COLUMN kb_rag.attached_table.labels IS 'the key of each column in metadata: its name when the table was attached';
COMMENT ON COLUMN kb_rag.attached_table.names IS 'the name of each column when the table was last looked at';
COMMENT ON COLUMN kb_rag.attached_table.numbers IS 'the number of each column in the table';
COMMENT ON COLUMN kb_rag.attached_table.source_type IS 'source_type of the documents';
COMMENT ON COLUMN kb_rag.attached_table.is_read IS 'whether all rows that existed when the table was attached have been read';
COMMENT ON COLUMN kb_rag.attached_table.read_to IS 'key of the last row read; NULL before the first one and once all have been read';
COMMENT ON COLUMN kb_rag.attached_table.rows_read IS 'number of these rows that have been read';
COMMENT ON COLUMN kb_rag.attached_table.attached_at IS 'when the table was attached';
COMMENT ON FUNCTION kb_rag.attached_changed() IS 'keeps the documents of an attached table in sync with the rows that a statement wrote: reads as the owner of the table, writes as the owner of the knowledge base';
COMMENT ON FUNCTION kb_rag.is_same(anyelement, anyelement) IS 'whether two values are stored as the same bytes, or both are NULL; long texts are not read if both values are the same stored text';
COMMENT ON FUNCTION @extschema@.kb_create IS 'creates a knowledge base: a schema kb_<name> with the tables source, document, chunk and embedding, and the statistics for keyword search; returns its id';
COMMENT ON FUNCTION @extschema@.kb_configure IS 'changes settings of a knowledge base and rebuilds what depends on them; NULL leaves a setting unchanged; searches continue meanwhile, writers wait';
COMMENT ON FUNCTION @extschema@.kb_reindex IS 'rebuilds lexemes, statistics and indexes of a knowledge base; no text is split or embedded again';
COMMENT ON FUNCTION @extschema@.kb_reconcile IS 'repairs what was written while triggers were disabled, or by replication; returns the number of repaired documents, and of chunks and vectors that belonged to no document';
COMMENT ON FUNCTION @extschema@.kb_retry IS 'retries at once what could not be embedded in a knowledge base, and ends the pauses of its provider; returns the number of jobs; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_import IS 'imports chunks and their vectors from a table without embedding anything; mapping names the columns: content, embedding, and optionally document, ordinal, title, heading, language, metadata; returns the number of chunks';
COMMENT ON FUNCTION @extschema@.kb_drop IS 'drops a knowledge base with all its documents; fails while other objects depend on it';
COMMENT ON FUNCTION @extschema@.kb_grant IS 'grants a role, or public, a privilege on a knowledge base: read, write (which includes read) or admin (which includes write); for its administrators';
COMMENT ON FUNCTION @extschema@.kb_revoke IS 'revokes a privilege on a knowledge base, and those that include it, from a role or public; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_grant_admin IS 'allows a role, or public, to create knowledge bases, providers and secrets; for superusers';
COMMENT ON FUNCTION @extschema@.kb_revoke_admin IS 'revokes what kb_grant_admin granted; the role keeps the knowledge bases that it created';
COMMENT ON FUNCTION @extschema@.kb_attach_agent IS 'adds the knowledge base to the searches of an agent, which find only chunks whose metadata contains filter; attaching it again sets the new filter; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_detach_agent IS 'removes the knowledge base from the searches of an agent; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_attach IS 'makes documents from the rows of a table and keeps them in sync with it: content and title name its columns, metadata further ones; attaching it again applies the new settings; a table with row security is refused unless row_security is ''ignore''; for owners of the table who administer the knowledge base; returns the id of the source';
COMMENT ON FUNCTION @extschema@.kb_detach IS 'ends what kb_attach began; the documents stay unless delete_documents is true; for administrators of the knowledge base and owners of the table';
COMMENT ON FUNCTION @extschema@.kb_add IS 'adds a document and returns its id; a document with the same source_type and source_key is replaced; unchanged text costs nothing; language chooses the text search configuration, NULL leaves it unchanged';
COMMENT ON FUNCTION @extschema@.kb_chunk IS 'splits a text into overlapping chunks; offsets count characters from 0, the end is exclusive';
COMMENT ON FUNCTION @extschema@.kb_provider_set IS 'creates a provider of embedding models or changes one: NULL leaves a setting unchanged, or is the default; api_key says where the key is: secret:name, or for superusers env:NAME or file:/path; empty for none';
COMMENT ON FUNCTION @extschema@.kb_provider_drop IS 'removes a provider and its grants, and warns if knowledge bases use it; for its owner';
COMMENT ON FUNCTION @extschema@.kb_provider_list IS 'the providers that the caller may use, and the built-in ones, without keys and values of headers; only the owner sees where a key is';
COMMENT ON FUNCTION @extschema@.kb_provider_test IS 'embeds one text with a model of a provider, by default that of a knowledge base or a common one of its kind: returns dimensions, milliseconds and tokens, or raises the error';
COMMENT ON FUNCTION @extschema@.kb_provider_grant IS 'allows a role, or public, to send texts to a provider, which may cost money; for its owner';
COMMENT ON FUNCTION @extschema@.kb_provider_revoke IS 'revokes what kb_provider_grant granted; knowledge bases of the role stop using the provider';
COMMENT ON FUNCTION @extschema@.kb_secret_set IS 'stores a key, for providers of the caller that refer to it as secret:name; it is sent only to one origin, such as https://api.example.com';
COMMENT ON FUNCTION @extschema@.kb_secret_drop IS 'deletes a key; for its owner';
COMMENT ON FUNCTION @extschema@.kb_estimate IS 'estimates what embedding a knowledge base takes: chunks without a vector, or all of them with another model; tokens, calls and cost, NULL if the price is not known';
COMMENT ON FUNCTION @extschema@.kb_warm_query IS 'embeds a query with the model of a knowledge base and caches the vector for kb_rag.query_cache_ttl, for searches of all sessions; does nothing for local models';
COMMENT ON FUNCTION @extschema@.kb_hybrid_search IS 'the best chunks for a question, by keyword and by meaning, fused by reciprocal rank or relative score; best first, ties by keyword_rank, semantic_rank, then chunk_id; with syntax => ''web'' quotes and -word work as in web search';
COMMENT ON FUNCTION @extschema@.match_knowledge_chunks IS 'the chunks nearest to a vector among the knowledge bases of an agent (or in the knowledge base whose id it is), with a cosine similarity above the threshold';
COMMENT ON PROCEDURE @extschema@.kb_work IS 'embeds what is queued in the knowledge bases the caller administers, like the background workers, until nothing is due any more or max_seconds are over; not inside a transaction block';

-- Only the functions write the catalogue. Otherwise members of pg_write_all_data could refer to a key of the server in
-- a provider of their own, mark other roles' tables as attached, or set a model that receives other roles' texts.
-- Providers, grants, keys and the log are not for pg_read_all_data either. The functions write as the owner of the tables, which
-- this does not restrict.
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
        IF entry.relname OPERATOR(pg_catalog.<>) ALL (ARRAY['provider', 'provider_grant', 'search_log', 'secret']) THEN
            EXECUTE pg_catalog.format('CREATE POLICY readers ON kb_rag.%I FOR SELECT USING (true)', entry.relname);
        END IF;
    END LOOP;
END
$$;

-- A type with the name of one of pgvector's may have been created after the first check.
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

CREATE FUNCTION kb_rag.chunk_numbered() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'chunk_numbered_wrapper';
COMMENT ON FUNCTION kb_rag.chunk_numbered() IS 'gives a chunk whose lexemes change a new number, as the owner of the table';
REVOKE ALL ON FUNCTION kb_rag.chunk_numbered() FROM PUBLIC;
COMMENT ON FUNCTION kb_rag.keyword_keys(tsvector, int, float8, float8, float8) IS 'what the keyword index of kb_rag 0.2 held of a chunk; kept because dumps of that version name it in an index';

-- Bases that are there: the keyword index is built in tables of its own, and the one over levels of lexemes, corpus and term go.
CREATE FUNCTION kb_rag.convert_bases() RETURNS void
    LANGUAGE c AS 'MODULE_PATHNAME', 'convert_bases_wrapper';
SELECT kb_rag.convert_bases();
DROP FUNCTION kb_rag.convert_bases();

-- A library of this version writes nothing else into databases of 0.2.0, and there it cannot note what was written.
INSERT INTO kb_rag.missed_write (knowledge_base_id, source_id)
SELECT k.id, NULL FROM kb_rag.knowledge_base k
UNION ALL
SELECT a.knowledge_base_id, a.source_id FROM kb_rag.attached_table a;
