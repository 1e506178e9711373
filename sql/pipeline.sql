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
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now()
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

-- A provider that is overloaded or refuses the key is left alone for a time, by all workers of the database.
CREATE TABLE kb_rag.pause (
    target text PRIMARY KEY,
    until timestamptz NOT NULL,
    reason text NOT NULL,
    failures int NOT NULL,
    since timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE kb_rag.pause IS 'providers and models that are not called for a time, and work of knowledge bases that is left alone';
COMMENT ON COLUMN kb_rag.pause.target IS 'a provider, a model as provider/model, or the work of a knowledge base as its id and the kind of the job';
COMMENT ON COLUMN kb_rag.pause.until IS 'when it is tried again';
COMMENT ON COLUMN kb_rag.pause.reason IS 'what it said, or the error';
COMMENT ON COLUMN kb_rag.pause.failures IS 'how often in a row';
COMMENT ON COLUMN kb_rag.pause.since IS 'since when';

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
