-- The queue of work that writers leave to the workers. No privilege is granted: the functions read and write it.

-- Append-only for writers: a row for each document and statement, so that no two writers ever wait for each other here.
-- It is a hint: what is true is that a chunk has no vector, and kb_reconcile makes the queue anew from that. Identifiers
-- are no sequence, so that a dump restores beside rows that are there already.
CREATE TABLE kb_rag.job (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    knowledge_base_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill'])),
    target uuid NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    worker int,
    claimed_at timestamptz,
    failed boolean NOT NULL DEFAULT false,
    error text,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    generation int NOT NULL DEFAULT 0
);
CREATE INDEX job_due ON kb_rag.job (knowledge_base_id, kind, due_at) WHERE NOT failed;
CREATE INDEX job_failed ON kb_rag.job (target) WHERE failed;
CREATE INDEX job_claimed ON kb_rag.job (target) WHERE worker IS NOT NULL;
COMMENT ON TABLE kb_rag.job IS 'what workers have to do: written by triggers and functions, emptied by workers and CALL kb_work()';
COMMENT ON COLUMN kb_rag.job.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_rag.job.knowledge_base_id IS 'the base';
COMMENT ON COLUMN kb_rag.job.kind IS 'embed: vectors of a document; change: its vectors of the model that is to come; backfill: rows of an attached table';
COMMENT ON COLUMN kb_rag.job.target IS 'the document, or the source';
COMMENT ON COLUMN kb_rag.job.attempts IS 'how often it was tried without success, the one under way included';
COMMENT ON COLUMN kb_rag.job.due_at IS 'when it is to be tried; for one that is claimed, when the lease ends';
COMMENT ON COLUMN kb_rag.job.worker IS 'process that has claimed it';
COMMENT ON COLUMN kb_rag.job.claimed_at IS 'when it was claimed; for one that failed, when it was last seen to hold up a change of the model';
COMMENT ON COLUMN kb_rag.job.failed IS 'given up; kb_retry tries it again';
COMMENT ON COLUMN kb_rag.job.error IS 'why the last attempt failed';
COMMENT ON COLUMN kb_rag.job.created_at IS 'when it was queued';
COMMENT ON COLUMN kb_rag.job.generation IS 'how many jobs led to it: one that a trigger queues while a worker writes vectors is of the next generation; at 8 the document fails';

-- A provider that is overloaded or refuses the key is left alone for a time, by all workers of the database.
CREATE TABLE kb_rag.pause (
    target text PRIMARY KEY,
    until timestamptz NOT NULL,
    reason text NOT NULL,
    failures int NOT NULL,
    since timestamptz NOT NULL DEFAULT pg_catalog.now(),
    exceeded boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE kb_rag.pause IS 'providers and models that are not called for a time, and work of knowledge bases that is left alone';
COMMENT ON COLUMN kb_rag.pause.target IS 'a provider, a model as provider/model, a knowledge base as its id, or a kind of its work as its id and the kind of the job';
COMMENT ON COLUMN kb_rag.pause.until IS 'when it is tried again';
COMMENT ON COLUMN kb_rag.pause.reason IS 'what it said, or the error';
COMMENT ON COLUMN kb_rag.pause.failures IS 'how often in a row';
COMMENT ON COLUMN kb_rag.pause.since IS 'since when';
COMMENT ON COLUMN kb_rag.pause.exceeded IS 'whether code of the owner of a knowledge base ran longer than kb_rag.worker_statement_timeout; until work for it succeeds, one worker at most works for such knowledge bases';

-- Statistics of knowledge bases for those who must not wait for their owners. Not dumped: they are counted again.
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

SELECT pg_catalog.pg_extension_config_dump('kb_rag.job', '');

CREATE FUNCTION kb_rag.failed_jobs() RETURNS TABLE (
    knowledge_base text, document_id uuid, source_key text, reason text, attempts int, next_try timestamptz
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'failed_jobs_wrapper';
COMMENT ON FUNCTION kb_rag.failed_jobs() IS 'the rows of the view kb_rag.failed';

CREATE VIEW kb_rag.failed AS SELECT * FROM kb_rag.failed_jobs();
COMMENT ON VIEW kb_rag.failed IS 'documents of the knowledge bases you may read whose embedding failed, with the reason; those that are tried again by themselves have a next_try, the others wait for kb_retry';
COMMENT ON COLUMN kb_rag.failed.knowledge_base IS 'its base';
COMMENT ON COLUMN kb_rag.failed.document_id IS 'the document';
COMMENT ON COLUMN kb_rag.failed.source_key IS 'its key at the source';
COMMENT ON COLUMN kb_rag.failed.reason IS 'why the last attempt failed';
COMMENT ON COLUMN kb_rag.failed.attempts IS 'how often it was tried';
COMMENT ON COLUMN kb_rag.failed.next_try IS 'when it is tried again; NULL where it was given up';
GRANT SELECT ON kb_rag.failed TO PUBLIC;
