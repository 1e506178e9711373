-- The queue of work that writers leave to the workers. No privilege is granted: the functions read and write it.

-- Append-only for writers: a row for each document and statement, so that no two writers ever wait for each other here.
-- It is a hint: the truth is which chunks have no vector, and kb_reconcile rebuilds the queue from that. Identifiers
-- are not a sequence, so that a dump restores beside existing rows.
CREATE TABLE kb_rag.job (
    id uuid PRIMARY KEY DEFAULT kb_rag.uuid_v7(),
    knowledge_base_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill', 'index', 'source', 'fetch', 'merge', 'compact', 'repair', 'lexemes', 'summary'])),
    target uuid NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    worker int,
    claimed_at timestamptz,
    lease_until timestamptz,
    failed boolean NOT NULL DEFAULT false,
    held_up_at timestamptz,
    error text,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    generation int NOT NULL DEFAULT 0,
    unusable uuid[] NOT NULL DEFAULT '{}'
);
-- One index for what is due and for claims whose lease has ended.
CREATE INDEX job_due ON kb_rag.job (knowledge_base_id, kind, (coalesce(lease_until, due_at))) WHERE NOT failed;
CREATE INDEX job_failed ON kb_rag.job (target) WHERE failed;
CREATE INDEX job_claimed ON kb_rag.job (target) WHERE worker IS NOT NULL;
COMMENT ON TABLE kb_rag.job IS 'the work queue: filled by triggers and functions, emptied by workers and CALL kb_work()';
COMMENT ON COLUMN kb_rag.job.id IS 'time-ordered identifier';
COMMENT ON COLUMN kb_rag.job.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.job.kind IS 'embed: vectors of a document; change: its vectors of the pending model; backfill: rows of an attached table; index: the IVFFlat index; source: pages of a URL to find; fetch: one page; merge: segments of the keyword index; repair: what was written while the library had another format than the catalog';
COMMENT ON COLUMN kb_rag.job.target IS 'the document, the source, or for an index the knowledge base';
COMMENT ON COLUMN kb_rag.job.attempts IS 'number of attempts without success, including the current one';
COMMENT ON COLUMN kb_rag.job.due_at IS 'when it is to be tried';
COMMENT ON COLUMN kb_rag.job.worker IS 'process ID of the worker that has claimed it';
COMMENT ON COLUMN kb_rag.job.claimed_at IS 'when it was claimed; NULL if it is not claimed';
COMMENT ON COLUMN kb_rag.job.lease_until IS 'when the claim ends unless its process renews it; NULL if it is not claimed';
COMMENT ON COLUMN kb_rag.job.failed IS 'whether it failed permanently; kb_retry retries it';
COMMENT ON COLUMN kb_rag.job.held_up_at IS 'when a failed job was last seen to block a change of the model';
COMMENT ON COLUMN kb_rag.job.error IS 'why the last attempt failed';
COMMENT ON COLUMN kb_rag.job.unusable IS 'chunks that were sent and got no usable vector, each as often as it was sent; at 8 times the chunk fails';
COMMENT ON COLUMN kb_rag.job.created_at IS 'when it was queued';
COMMENT ON COLUMN kb_rag.job.generation IS 'how many jobs led to it: a job that a trigger queues while a worker writes vectors belongs to the next generation; at 8 the document fails';

-- A provider that is overloaded or rejects the key is paused for all workers of the database.
CREATE TABLE kb_rag.pause (
    provider text,
    model text,
    knowledge_base_id uuid,
    kind text CHECK (kind OPERATOR(pg_catalog.=) ANY (ARRAY['embed', 'change', 'backfill', 'index', 'source', 'fetch', 'merge', 'compact', 'repair', 'lexemes', 'summary', 'statistics'])),
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
COMMENT ON COLUMN kb_rag.pause.tries_one_chunk IS 'whether one chunk is sent first when it ends: calls that fail may be paid for';
COMMENT ON COLUMN kb_rag.pause.exceeded IS 'whether code of the owner of a knowledge base ran longer than kb_rag.worker_statement_timeout; until work for it succeeds, at most one worker works for such knowledge bases';

-- Statistics of knowledge bases for callers that must not wait for their owners. Not dumped: they are counted again.
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
    counted_at timestamptz NOT NULL,
    outdated int8,
    outdated_files int8
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
COMMENT ON COLUMN kb_rag.base_statistics.outdated IS 'as in kb_rag.status';
COMMENT ON COLUMN kb_rag.base_statistics.outdated_files IS 'as in kb_rag.status';

-- A restored copy fetches nothing until kb_source_sync.
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

SELECT pg_catalog.pg_extension_config_dump('kb_rag.job', 'WHERE kind <> ALL (ARRAY[''source'', ''fetch'', ''merge''])');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.held_job', 'WHERE kind <> ALL (ARRAY[''source'', ''fetch''])');

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
