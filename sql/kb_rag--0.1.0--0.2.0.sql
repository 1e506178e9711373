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

CREATE FUNCTION @extschema@.kb_estimate(knowledge_base text, model text DEFAULT NULL::pg_catalog.text)
 RETURNS TABLE(model text, chunks bigint, tokens bigint, calls bigint, cost double precision)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED COST 100000 ROWS 1
AS 'MODULE_PATHNAME', 'kb_estimate_wrapper';
COMMENT ON FUNCTION @extschema@.kb_estimate(pg_catalog.text,pg_catalog.text) IS 'what it would take to embed a knowledge base, about: passages without a vector, or all of them with another model; tokens, calls and cost, NULL where the price is not known';

CREATE FUNCTION @extschema@.kb_provider_drop(name text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_provider_drop_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_provider_drop(pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_provider_drop(pg_catalog.text) IS 'removes a provider and its grants, and warns where knowledge bases use it; for its owner';

CREATE FUNCTION @extschema@.kb_provider_grant(name text, role text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_provider_grant_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_provider_grant(pg_catalog.text,pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_provider_grant(pg_catalog.text,pg_catalog.text) IS 'lets a role, or public, send texts to a provider, which may cost money; for its owner';

CREATE FUNCTION @extschema@.kb_provider_list()
 RETURNS TABLE(name text, builtin boolean, kind text, base_url text, api_key text, headers text[], timeout interval, batch_items integer, batch_tokens integer, batch_bytes integer, price_per_million double precision, owner text, granted boolean)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'kb_provider_list_wrapper';
COMMENT ON FUNCTION @extschema@.kb_provider_list() IS 'the providers the caller may use and those built in, without keys and values of headers; where a key is, is for the owner to see';

CREATE FUNCTION @extschema@.kb_provider_revoke(name text, role text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_provider_revoke_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_provider_revoke(pg_catalog.text,pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_provider_revoke(pg_catalog.text,pg_catalog.text) IS 'ends what kb_provider_grant began; knowledge bases of the role stop using it';

CREATE FUNCTION @extschema@.kb_provider_set(name text, kind text DEFAULT NULL::pg_catalog.text, base_url text DEFAULT NULL::pg_catalog.text, api_key text DEFAULT NULL::pg_catalog.text, headers jsonb DEFAULT NULL::pg_catalog.jsonb, timeout interval DEFAULT NULL::pg_catalog.interval, batch_items integer DEFAULT NULL::integer, batch_tokens integer DEFAULT NULL::integer, batch_bytes integer DEFAULT NULL::integer, price_per_million double precision DEFAULT NULL::double precision)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_provider_set_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_provider_set(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,interval,integer,integer,integer,double precision) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_provider_set(pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.text,pg_catalog.jsonb,interval,integer,integer,integer,double precision) IS 'sets up a provider of embedding models or changes one: NULL leaves what it has, or is the default; api_key says where the key is: secret:name, or for superusers env:NAME or file:/path; empty for none';

CREATE FUNCTION @extschema@.kb_provider_test(name text, model text DEFAULT NULL::pg_catalog.text)
 RETURNS TABLE(model text, dimensions integer, milliseconds double precision, tokens bigint)
 LANGUAGE c
 COST 100000 ROWS 1
AS 'MODULE_PATHNAME', 'kb_provider_test_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_provider_test(pg_catalog.text,pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_provider_test(pg_catalog.text,pg_catalog.text) IS 'embeds one text with a model of a provider, by default one its kind is known for: dimensions, milliseconds and tokens, or the error';

CREATE FUNCTION @extschema@.kb_secret_drop(name text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_secret_drop_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_secret_drop(pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_secret_drop(pg_catalog.text) IS 'forgets a key; for its owner';

CREATE FUNCTION @extschema@.kb_secret_set(name text, value text, origin text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_secret_set_wrapper';
REVOKE EXECUTE ON FUNCTION @extschema@.kb_secret_set(pg_catalog.text,pg_catalog.text,pg_catalog.text) FROM PUBLIC;
COMMENT ON FUNCTION @extschema@.kb_secret_set(pg_catalog.text,pg_catalog.text,pg_catalog.text) IS 'keeps a key that providers of the caller name as secret:name, to be sent to one origin alone, as in https://api.example.com';

CREATE FUNCTION @extschema@.kb_warm_query(query text, knowledge_base text)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_warm_query_wrapper';
COMMENT ON FUNCTION @extschema@.kb_warm_query(pg_catalog.text,pg_catalog.text) IS 'embeds a query with the model of a knowledge base and keeps the vector for kb_rag.query_cache_ttl, for searches of every session; nothing to do for models of the server itself';

-- Another model, by the workers.
ALTER TABLE kb_rag.knowledge_base ADD COLUMN next_model text, ADD COLUMN next_dimensions int;
COMMENT ON COLUMN kb_rag.knowledge_base.next_model IS 'the model that takes the place of model when all passages have its vectors; NULL while no change is under way';
COMMENT ON COLUMN kb_rag.knowledge_base.next_dimensions IS 'of its vectors';

-- The view has new columns, which its function gives.
DROP VIEW kb_rag.status;
DROP FUNCTION kb_rag.base_status();
CREATE FUNCTION kb_rag.base_status() RETURNS TABLE (
    knowledge_base text, schema text, model text, dimensions int,
    documents int8, pending int8, processing int8, indexed int8, failed int8,
    chunks int8, embedded int8, coverage float8, table_bytes int8, index_bytes int8,
    model_variants text[], variant_in_use text, kernel text,
    oldest_pending interval, paused text, chunks_per_second float8, time_to_go interval, model_change text
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'base_status_wrapper';
COMMENT ON FUNCTION kb_rag.base_status() IS 'the rows of the view kb_rag.status';

CREATE VIEW kb_rag.status AS SELECT * FROM kb_rag.base_status();
COMMENT ON VIEW kb_rag.status IS 'one row per knowledge base you may read: documents by status, chunks, embedded share in percent, model, sizes in bytes (NULL where row security hides documents from you, which are not counted then); model_variants are the weights that embedded the base, variant_in_use those that embed now, kernel the processor''s instructions they use';
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
GRANT SELECT ON kb_rag.status TO PUBLIC;

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

-- What is read of a table stands here, and not in the base's table source, which the base's writers may write: its owner
-- said so. No privilege is granted. Columns are known by number, which a new name leaves as it is, while `relation` is the
-- table; in a restored database it is another one, and they are known by name.
CREATE TABLE kb_rag.attached_table (
    source_id uuid PRIMARY KEY,
    knowledge_base_id uuid NOT NULL,
    location text NOT NULL,
    relation bigint NOT NULL,
    uses text[] NOT NULL,
    labels text[] NOT NULL,
    names text[] NOT NULL,
    numbers int[] NOT NULL,
    source_type text NOT NULL,
    is_read boolean NOT NULL DEFAULT false,
    read_to text[],
    rows_read bigint NOT NULL DEFAULT 0,
    rows_in_all bigint NOT NULL DEFAULT 0,
    attached_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
CREATE INDEX attached_table_knowledge_base_id ON kb_rag.attached_table (knowledge_base_id);
COMMENT ON TABLE kb_rag.attached_table IS 'the tables that documents are made from, by knowledge base; written by kb_attach and kb_detach, listed by kb_rag.source_status';
COMMENT ON COLUMN kb_rag.attached_table.source_id IS 'its row of the base''s table source';
COMMENT ON COLUMN kb_rag.attached_table.knowledge_base_id IS 'the base';
COMMENT ON COLUMN kb_rag.attached_table.location IS 'qualified name of the table when it was last looked at';
COMMENT ON COLUMN kb_rag.attached_table.relation IS 'the table for which the numbers hold';
COMMENT ON COLUMN kb_rag.attached_table.uses IS 'what each column is taken for: content, title, key or metadata';
COMMENT ON COLUMN kb_rag.attached_table.labels IS 'what each is called in metadata: its name when it was attached';
COMMENT ON COLUMN kb_rag.attached_table.names IS 'its name when the table was last looked at';
COMMENT ON COLUMN kb_rag.attached_table.numbers IS 'its number in the table';
COMMENT ON COLUMN kb_rag.attached_table.source_type IS 'of the documents';
COMMENT ON COLUMN kb_rag.attached_table.is_read IS 'whether all rows that were there before have been read';
COMMENT ON COLUMN kb_rag.attached_table.read_to IS 'key of the last one that was read, until all have been';
COMMENT ON COLUMN kb_rag.attached_table.rows_read IS 'how many have been read';
COMMENT ON COLUMN kb_rag.attached_table.rows_in_all IS 'how many there were, about';
COMMENT ON COLUMN kb_rag.attached_table.attached_at IS 'since when';
SELECT pg_catalog.pg_extension_config_dump('kb_rag.attached_table', '');

CREATE FUNCTION kb_rag.attached_changed() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'attached_changed_wrapper';
COMMENT ON FUNCTION kb_rag.attached_changed() IS 'brings the documents of an attached table in step with the rows a statement wrote: reads as the owner of the table, writes as the owner of the base';
CREATE FUNCTION kb_rag.is_same(a anyelement, b anyelement) RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'is_same_wrapper';
COMMENT ON FUNCTION kb_rag.is_same(anyelement, anyelement) IS 'whether two values are stored as the same bytes, two NULLs too; long texts are not read for it where both are the same one';

CREATE FUNCTION kb_rag.attached_status() RETURNS TABLE (
    knowledge_base text, source_id uuid, location text, status text, error_message text, documents int8,
    rows_read int8, rows_in_all int8, last_synced_at timestamptz
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'attached_status_wrapper';
COMMENT ON FUNCTION kb_rag.attached_status() IS 'the rows of the view kb_rag.source_status';
CREATE VIEW kb_rag.source_status AS SELECT * FROM kb_rag.attached_status();
COMMENT ON VIEW kb_rag.source_status IS 'the tables attached to the knowledge bases you may read: what state they are in and how far their rows have been read';
COMMENT ON COLUMN kb_rag.source_status.knowledge_base IS 'the base';
COMMENT ON COLUMN kb_rag.source_status.source_id IS 'the row of its table source';
COMMENT ON COLUMN kb_rag.source_status.location IS 'the table';
COMMENT ON COLUMN kb_rag.source_status.status IS 'pending while rows that were there before are read, indexed, or failed';
COMMENT ON COLUMN kb_rag.source_status.error_message IS 'why its rows are not followed';
COMMENT ON COLUMN kb_rag.source_status.documents IS 'how many it gave; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.source_status.rows_read IS 'how many rows of those that were there before have been read';
COMMENT ON COLUMN kb_rag.source_status.rows_in_all IS 'how many there were, about';
COMMENT ON COLUMN kb_rag.source_status.last_synced_at IS 'when all rows were last compared with the documents';
GRANT SELECT ON kb_rag.source_status TO PUBLIC;

-- Providers of models, their keys and what was spent on them: as sql/providers.sql.
CREATE TABLE kb_rag.provider (
    name text NOT NULL,
    builtin boolean NOT NULL DEFAULT false,
    kind text NOT NULL,
    base_url text NOT NULL,
    api_key text,
    headers jsonb NOT NULL DEFAULT '{}',
    timeout interval NOT NULL DEFAULT '60 seconds',
    batch_items int,
    batch_tokens int,
    batch_bytes int,
    price_per_million float8,
    owner text NOT NULL,
    PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE kb_rag.provider IS 'services that embed texts; written by kb_provider_set, listed by kb_provider_list()';
COMMENT ON COLUMN kb_rag.provider.name IS 'the first part of the name of a model';
COMMENT ON COLUMN kb_rag.provider.builtin IS 'whether it came with the extension; a row of the same name that did not goes before it';
COMMENT ON COLUMN kb_rag.provider.kind IS 'the protocol it speaks';
COMMENT ON COLUMN kb_rag.provider.base_url IS 'what the path of a call is appended to';
COMMENT ON COLUMN kb_rag.provider.api_key IS 'where the key is: env:NAME, file:/path or secret:name; never the key itself';
COMMENT ON COLUMN kb_rag.provider.headers IS 'sent with every call';
COMMENT ON COLUMN kb_rag.provider.timeout IS 'the most that one call may take';
COMMENT ON COLUMN kb_rag.provider.batch_items IS 'the most texts of one call; NULL is what is known of the service';
COMMENT ON COLUMN kb_rag.provider.batch_tokens IS 'the most tokens of one call';
COMMENT ON COLUMN kb_rag.provider.batch_bytes IS 'the most bytes of one call';
COMMENT ON COLUMN kb_rag.provider.price_per_million IS 'of tokens, in the currency of your choice; NULL is what is known of the model';
COMMENT ON COLUMN kb_rag.provider.owner IS 'the role that may change the row';

CREATE TABLE kb_rag.provider_grant (
    provider text NOT NULL,
    role text NOT NULL,
    PRIMARY KEY (provider, role)
);
COMMENT ON TABLE kb_rag.provider_grant IS 'who may use a provider beside its owner; written by kb_provider_grant and kb_provider_revoke';
COMMENT ON COLUMN kb_rag.provider_grant.provider IS 'its name';
COMMENT ON COLUMN kb_rag.provider_grant.role IS 'a role, or public for everybody';

-- Row security without a policy: not for those either whom PostgreSQL lets read all tables, as pg_read_all_data.
CREATE TABLE kb_rag.secret (
    name text PRIMARY KEY,
    value text NOT NULL,
    origin text NOT NULL,
    owner text NOT NULL
);
ALTER TABLE kb_rag.secret ENABLE ROW LEVEL SECURITY;
COMMENT ON TABLE kb_rag.secret IS 'keys kept by kb_secret_set; never dumped';
COMMENT ON COLUMN kb_rag.secret.name IS 'as api_key of a provider names it after secret:';
COMMENT ON COLUMN kb_rag.secret.value IS 'the key';
COMMENT ON COLUMN kb_rag.secret.origin IS 'the only place it is sent to: scheme, host and port';
COMMENT ON COLUMN kb_rag.secret.owner IS 'the role whose providers may use it';

-- A row that counts would make all who write to it wait for each other: these are added up by a view.
CREATE TABLE kb_rag.usage (
    knowledge_base_id uuid,
    knowledge_base text,
    model text NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    calls int8 NOT NULL,
    items int8 NOT NULL,
    tokens int8,
    errors int8 NOT NULL,
    cost float8
);
CREATE INDEX usage_knowledge_base_id ON kb_rag.usage (knowledge_base_id, at);
COMMENT ON TABLE kb_rag.usage IS 'what was asked of providers, and what workers embedded with local models, one row for some calls; rows are only ever added; kb_rag.usage_daily adds them up';
COMMENT ON COLUMN kb_rag.usage.knowledge_base_id IS 'what for; NULL for kb_provider_test';
COMMENT ON COLUMN kb_rag.usage.knowledge_base IS 'its name then';
COMMENT ON COLUMN kb_rag.usage.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.usage.at IS 'when';
COMMENT ON COLUMN kb_rag.usage.calls IS 'how many were made, failed ones too';
COMMENT ON COLUMN kb_rag.usage.items IS 'texts that were embedded';
COMMENT ON COLUMN kb_rag.usage.tokens IS 'of these texts as the provider counts them; NULL where it does not say';
COMMENT ON COLUMN kb_rag.usage.errors IS 'calls that failed';
COMMENT ON COLUMN kb_rag.usage.cost IS 'of these tokens; NULL where the price or the tokens are not known';

CREATE TABLE kb_rag.query_cache (
    model text NOT NULL,
    dimensions int NOT NULL,
    input_hash bytea NOT NULL,
    embedding float4[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    PRIMARY KEY (model, dimensions, input_hash)
);
COMMENT ON TABLE kb_rag.query_cache IS 'vectors of queries that kb_warm_query embedded, for kb_rag.query_cache_ttl; searches read them';
COMMENT ON COLUMN kb_rag.query_cache.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.query_cache.dimensions IS 'of the vector';
COMMENT ON COLUMN kb_rag.query_cache.input_hash IS 'SHA-256 of the query';
COMMENT ON COLUMN kb_rag.query_cache.embedding IS 'the vector';
COMMENT ON COLUMN kb_rag.query_cache.created_at IS 'when it was embedded';

INSERT INTO kb_rag.provider (name, builtin, kind, base_url, api_key, owner) VALUES
    ('openai', true, 'openai', 'https://api.openai.com/v1', 'env:OPENAI_API_KEY', CURRENT_USER),
    ('ollama', true, 'ollama', 'http://localhost:11434', NULL, CURRENT_USER),
    ('google', true, 'google', 'https://generativelanguage.googleapis.com/v1beta', 'env:GEMINI_API_KEY', CURRENT_USER),
    ('cohere', true, 'cohere', 'https://api.cohere.com/v2', 'env:CO_API_KEY', CURRENT_USER),
    ('voyage', true, 'voyage', 'https://api.voyageai.com/v1', 'env:VOYAGE_API_KEY', CURRENT_USER),
    ('mistral', true, 'mistral', 'https://api.mistral.ai/v1', 'env:MISTRAL_API_KEY', CURRENT_USER),
    ('tei', true, 'tei', 'http://localhost:8080', NULL, CURRENT_USER);

SELECT pg_catalog.pg_extension_config_dump('kb_rag.provider', 'WHERE NOT builtin');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.provider_grant', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.usage', '');

CREATE VIEW kb_rag.usage_daily WITH (security_barrier) AS
    SELECT (u.at AT TIME ZONE 'UTC')::pg_catalog.date AS day, u.knowledge_base, u.model, pg_catalog.sum(u.calls)::pg_catalog.int8 AS calls,
        pg_catalog.sum(u.items)::pg_catalog.int8 AS items, pg_catalog.sum(u.tokens)::pg_catalog.int8 AS tokens, pg_catalog.sum(u.errors)::pg_catalog.int8 AS errors,
        pg_catalog.sum(u.cost) AS cost
    FROM kb_rag.usage u
    WHERE u.knowledge_base_id OPERATOR(pg_catalog.=) ANY (SELECT b.id FROM @extschema@.kb_list() b)
        OR (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) CURRENT_USER)
    GROUP BY 1, 2, 3;
COMMENT ON VIEW kb_rag.usage_daily IS 'what was asked of providers, and embedded by workers, by day, knowledge base and model, for the knowledge bases you may read; superusers see all';
COMMENT ON COLUMN kb_rag.usage_daily.day IS 'in UTC';
COMMENT ON COLUMN kb_rag.usage_daily.knowledge_base IS 'its name then; NULL for what was asked for none';
COMMENT ON COLUMN kb_rag.usage_daily.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.usage_daily.calls IS 'how many were made, failed ones too';
COMMENT ON COLUMN kb_rag.usage_daily.items IS 'texts that were embedded';
COMMENT ON COLUMN kb_rag.usage_daily.tokens IS 'of these texts, as far as the provider said';
COMMENT ON COLUMN kb_rag.usage_daily.errors IS 'calls that failed';
COMMENT ON COLUMN kb_rag.usage_daily.cost IS 'of these tokens, as far as the price is known';
GRANT SELECT ON kb_rag.usage_daily TO PUBLIC;

REVOKE EXECUTE ON FUNCTION kb_rag.attached_changed() FROM PUBLIC;

CREATE FUNCTION @extschema@.kb_attach(source regclass, knowledge_base text, content name, title name DEFAULT NULL::pg_catalog.name, metadata name[] DEFAULT NULL::pg_catalog.name[], source_type text DEFAULT 'table'::pg_catalog.text)
 RETURNS uuid
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_attach_wrapper';
COMMENT ON FUNCTION @extschema@.kb_attach(pg_catalog.regclass,pg_catalog.text,pg_catalog.name,pg_catalog.name,pg_catalog.name[],pg_catalog.text) IS 'makes documents of the rows of a table and keeps them in step with it: content and title name its columns, metadata more of them; attached again, it gets the new settings; for owners of the table who administer the knowledge base; returns the id of the source';

CREATE FUNCTION @extschema@.kb_detach(source regclass, knowledge_base text, delete_documents boolean DEFAULT false)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_detach_wrapper';
COMMENT ON FUNCTION @extschema@.kb_detach(pg_catalog.regclass,pg_catalog.text,boolean) IS 'ends what kb_attach began; the documents stay unless they are to be deleted; for administrators of the knowledge base and owners of the table';

CREATE FUNCTION @extschema@.kb_retry(knowledge_base text)
 RETURNS bigint
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_retry_wrapper';
COMMENT ON FUNCTION @extschema@.kb_retry(pg_catalog.text) IS 'tries again what could not be embedded in a knowledge base, at once, and ends the pauses of its provider; returns how many jobs; for its administrators';

CREATE PROCEDURE @extschema@.kb_work(IN max_seconds double precision DEFAULT 60)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'kb_work_wrapper';
COMMENT ON PROCEDURE @extschema@.kb_work(double precision) IS 'embeds what is queued in the knowledge bases the caller administers, as the background workers do, until nothing is due any more or so many seconds are over; not inside a transaction block';

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
