-- Functions and views of the schema kb_rag, which belongs to the extension.

CREATE FUNCTION kb_rag.uuid_v7() RETURNS uuid
    LANGUAGE c VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'uuid_v7_wrapper';
COMMENT ON FUNCTION kb_rag.uuid_v7() IS 'a time-ordered identifier (UUID version 7): the default of id columns';

CREATE FUNCTION kb_rag.document_prepare() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'document_prepare_wrapper';
CREATE FUNCTION kb_rag.document_inserted() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'document_inserted_wrapper';
CREATE FUNCTION kb_rag.document_updated() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'document_updated_wrapper';
CREATE FUNCTION kb_rag.document_replicated() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'document_replicated_wrapper';
COMMENT ON FUNCTION kb_rag.document_replicated() IS 'marks documents that arrive by logical replication as not indexed, if neither chunks nor vectors are replicated to here; workers chunk and embed them';
COMMENT ON FUNCTION kb_rag.document_prepare() IS 'sets content_hash, status and timestamps of a document that is written';
COMMENT ON FUNCTION kb_rag.document_inserted() IS 'chunks and embeds inserted documents, as the owner of the table';
COMMENT ON FUNCTION kb_rag.document_updated() IS 'chunks and embeds the changed parts of updated documents, as the owner of the table';

CREATE FUNCTION kb_rag.chunk_counted() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'chunk_counted_wrapper';
COMMENT ON FUNCTION kb_rag.chunk_counted() IS 'keeps the keyword index in sync with the table chunk, as the owner of the table';
CREATE FUNCTION kb_rag.chunk_numbered() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'chunk_numbered_wrapper';
COMMENT ON FUNCTION kb_rag.chunk_numbered() IS 'gives a chunk whose lexemes change a new number, as the owner of the table';
CREATE FUNCTION kb_rag.word_count(tsv tsvector) RETURNS int
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'word_count_wrapper';
COMMENT ON FUNCTION kb_rag.word_count(tsvector) IS 'how many words a tsvector counts: the sum of the occurrences of its lexemes';

CREATE FUNCTION kb_rag.to_tsvector(config regconfig, document text) RETURNS tsvector
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'to_tsvector_wrapper';
COMMENT ON FUNCTION kb_rag.to_tsvector(regconfig, text) IS 'the lexemes of a text: those of pg_catalog.to_tsvector, and overlapping bigrams of Chinese, Japanese, Korean, Thai and other text without spaces; none for NULL';
CREATE FUNCTION kb_rag.to_tsvector(config regconfig, document text, lexeme_format int, fold_accents boolean DEFAULT true) RETURNS tsvector
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'to_tsvector_in_format_wrapper';
COMMENT ON FUNCTION kb_rag.to_tsvector(regconfig, text, int, boolean) IS 'the lexemes of a text in a format: 1, as with two arguments, or 2, that of new knowledge bases; none for NULL';
CREATE FUNCTION kb_rag.chunk_tsv(config regconfig, title text, heading text, content text, lexeme_format int, fold_accents boolean) RETURNS tsvector
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'chunk_tsv_wrapper';
COMMENT ON FUNCTION kb_rag.chunk_tsv(regconfig, text, text, text, int, boolean) IS 'the lexemes of a chunk in a format: those of its title (weight A), heading (B) and content (D)';
CREATE FUNCTION kb_rag.text_config(language text, otherwise text) RETURNS text
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'text_config_wrapper';
COMMENT ON FUNCTION kb_rag.text_config(text, text) IS 'qualified name of the text search configuration for a language, given as an ISO 639-1 code, its English name or its own name; where there is none, the other one';

CREATE FUNCTION kb_rag.iso_time(value text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'iso_time_wrapper';
COMMENT ON FUNCTION kb_rag.iso_time(text) IS 'the time of a text in ISO 8601, in UTC where it has no zone; NULL for any other text';
CREATE FUNCTION kb_rag.filter_number(metadata jsonb, key text) RETURNS numeric
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'filter_number_wrapper';
COMMENT ON FUNCTION kb_rag.filter_number(jsonb, text) IS 'the number at a key of the metadata, or at keys separated by dots; NULL for a value of another type. An index on it makes ranges in filters fast';
CREATE FUNCTION kb_rag.filter_time(metadata jsonb, key text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'filter_time_wrapper';
COMMENT ON FUNCTION kb_rag.filter_time(jsonb, text) IS 'the time in ISO 8601 at a key of the metadata, or at keys separated by dots; NULL for any other value. An index on it makes ranges of times in filters fast';

CREATE FUNCTION kb_rag.base_status() RETURNS TABLE (
    knowledge_base text, schema text, model text, dimensions int,
    documents int8, pending int8, indexed int8, failed int8,
    chunks int8, embedded int8, coverage float8, table_bytes int8, index_bytes int8, unmerged_segments int8,
    model_variants text[], variant_in_use text, kernel text,
    oldest_pending interval, paused text, chunks_per_second float8, time_to_go interval, model_change text,
    note text, counted_at timestamptz, outdated int8, outdated_files int8, pgvector text, node text
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'base_status_with_outdated_wrapper';
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
COMMENT ON COLUMN kb_rag.status.paused IS 'why its provider is not called, its documents are not worked on, or its URLs are not fetched, and for how long';
COMMENT ON COLUMN kb_rag.status.chunks_per_second IS 'chunks that got a vector from the workers in the last minute, per second; NULL if there were none';
COMMENT ON COLUMN kb_rag.status.time_to_go IS 'time until all chunks have a vector, at this rate';
COMMENT ON COLUMN kb_rag.status.model_change IS 'the pending model, the percentage of chunks that have its vectors, and what blocks it';
COMMENT ON COLUMN kb_rag.status.note IS 'why the counts are not current: statistics kept by workers, for a knowledge base outside of your circle; locked by another transaction, which kept its lock for more than a second; hidden by row security, because kept statistics would reveal hidden documents; NULL if the knowledge base was counted. And the roles that read the tables of a knowledge base which row security of an attached table closes to them';
COMMENT ON COLUMN kb_rag.status.counted_at IS 'when documents, chunks and sizes were counted: the time of the statement, or of kept statistics; NULL, like all counts, if there are none: not counted yet, kb_rag.workers = 0, or hidden by row security';
COMMENT ON COLUMN kb_rag.status.outdated IS 'documents that an earlier version of a reader or of the chunker made, as kb_rag.current_version has them; read or cut again when asked';
COMMENT ON COLUMN kb_rag.status.outdated_files IS 'those of them that an earlier version of a reader read from a file: the file is not stored, and is to be given again by kb-rag index or kb_add_file';
COMMENT ON COLUMN kb_rag.status.pgvector IS 'the version of pgvector in the database and, below 0.8.2, what is wrong with it; the same for all knowledge bases of a node';
COMMENT ON COLUMN kb_rag.status.node IS 'the node of a cluster that has the knowledge base, as host and port by which the others reach it; NULL on a server that stands alone';
GRANT SELECT ON kb_rag.status TO PUBLIC;

CREATE FUNCTION kb_rag.current_versions() RETURNS TABLE (name text, version int)
    LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'current_versions_wrapper';
COMMENT ON FUNCTION kb_rag.current_versions() IS 'the rows of the view kb_rag.current_version';

CREATE VIEW kb_rag.current_version AS SELECT * FROM kb_rag.current_versions();
COMMENT ON VIEW kb_rag.current_version IS 'the versions of the readers and of the chunker in this library: documents with lower ones, or none, are outdated';
COMMENT ON COLUMN kb_rag.current_version.name IS 'a reader, as in document.reader, or chunker';
COMMENT ON COLUMN kb_rag.current_version.version IS 'its version, as in document.reader_version or document.chunker_version';
GRANT SELECT ON kb_rag.current_version TO PUBLIC;

CREATE FUNCTION kb_rag.is_node(node int) RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'is_node_wrapper';
COMMENT ON FUNCTION kb_rag.is_node(int) IS 'whether this server is the node with this groupid of Citus; statements for other nodes name it, and find nothing on any other';

CREATE FUNCTION kb_rag.agent_has_bases(agent uuid) RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'agent_has_bases_wrapper';
COMMENT ON FUNCTION kb_rag.agent_has_bases(uuid) IS 'whether this server has knowledge bases that are attached to the agent; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_statistics(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_statistics_wrapper';
COMMENT ON FUNCTION kb_rag.part_statistics(jsonb) IS 'the knowledge bases of this server that a search over several nodes covers, with their statistics; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_candidates(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_candidates_wrapper';
COMMENT ON FUNCTION kb_rag.part_candidates(jsonb) IS 'the chunks of this server that a search over several nodes finds, with their scores; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_rows(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_rows_wrapper';
COMMENT ON FUNCTION kb_rag.part_rows(jsonb) IS 'the rows of this server among the results of a search over several nodes; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_hints(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_hints_wrapper';
COMMENT ON FUNCTION kb_rag.part_hints(jsonb) IS 'why a search over several nodes finds nothing on this server; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_documents(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_documents_wrapper';
COMMENT ON FUNCTION kb_rag.part_documents(jsonb) IS 'documents of this server for a list over several nodes; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.part_tools(request jsonb) RETURNS jsonb
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'part_tools_wrapper';
COMMENT ON FUNCTION kb_rag.part_tools(jsonb) IS 'what tools of agents show of this server, where their knowledge bases are on several nodes; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.administers_agent(agent uuid) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'administers_agent_wrapper';
COMMENT ON FUNCTION kb_rag.administers_agent(uuid) IS 'whether you administer one of the knowledge bases that this server has of the agent, NULL where it has none; other nodes of a cluster call it';

-- Of kb_rag, so that it is found whatever search_path the role has on the other node.
CREATE FUNCTION kb_rag.vouched_process() RETURNS int
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'vouched_process_wrapper';
COMMENT ON FUNCTION kb_rag.vouched_process() IS 'the process of this session, which finds names in pg_catalog only until its transaction ends; other nodes of a cluster call it before they vouch for a call';

-- Only the owner of the catalog tells a node that it may change what concerns all of them.
CREATE FUNCTION kb_rag.vouch(process int, begins boolean) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'vouch_wrapper';
REVOKE EXECUTE ON FUNCTION kb_rag.vouch(int, boolean) FROM PUBLIC;
COMMENT ON FUNCTION kb_rag.vouch(int, boolean) IS 'begins or ends to vouch for a call that another node of a cluster makes in a process of this server; other nodes call it as the owner of the extension';

CREATE FUNCTION kb_rag.node_state() RETURNS jsonb
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'node_state_wrapper';
COMMENT ON FUNCTION kb_rag.node_state() IS 'the row of this server in kb_rag.cluster; other nodes of a cluster call it';

CREATE FUNCTION kb_rag.cluster_nodes() RETURNS TABLE (
    node text, version text, bases int8, chunks int8, bytes int8, prepared int8, lost int8, unregistered int8, reachable boolean, error text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'cluster_nodes_wrapper';
COMMENT ON FUNCTION kb_rag.cluster_nodes() IS 'the rows of the view kb_rag.cluster';

CREATE VIEW kb_rag.cluster AS SELECT * FROM kb_rag.cluster_nodes();
COMMENT ON VIEW kb_rag.cluster IS 'one row per node of a cluster that kb_cluster_setup has set up, with the knowledge bases that you may read there; no rows on a server that stands alone';
COMMENT ON COLUMN kb_rag.cluster.node IS 'host and port, as the other nodes reach it';
COMMENT ON COLUMN kb_rag.cluster.version IS 'version of the extension kb_rag there';
COMMENT ON COLUMN kb_rag.cluster.bases IS 'number of knowledge bases that you may read there';
COMMENT ON COLUMN kb_rag.cluster.chunks IS 'number of their chunks, of those that are counted';
COMMENT ON COLUMN kb_rag.cluster.bytes IS 'size of their tables and indexes, of those that are counted';
COMMENT ON COLUMN kb_rag.cluster.prepared IS 'number of transactions that were prepared there more than a minute ago, and neither committed nor rolled back: they keep their locks';
COMMENT ON COLUMN kb_rag.cluster.lost IS 'number of knowledge bases that the cluster has registered there, and that the node does not have: kb_cluster_setup corrects it';
COMMENT ON COLUMN kb_rag.cluster.unregistered IS 'number of knowledge bases there that the cluster has not registered: kb_cluster_setup corrects it';
COMMENT ON COLUMN kb_rag.cluster.reachable IS 'whether the node answered';
COMMENT ON COLUMN kb_rag.cluster.error IS 'why it did not';
GRANT SELECT ON kb_rag.cluster TO PUBLIC;
