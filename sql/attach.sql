-- Users' tables that documents are made from: kb_attach and its triggers.

-- The columns to read of a table are stored here, and not in the base's table source, which the base's writers may
-- change: the owner of the table has chosen them. No privilege is granted. Columns are known by number, which a new
-- name does not change, while `relation` is the table. In a restored database it is another table, and they are known
-- by name.
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
    attached_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    row_security text NOT NULL DEFAULT 'refuse' CHECK (row_security OPERATOR(pg_catalog.=) ANY (ARRAY['refuse', 'ignore'])),
    row_secured boolean NOT NULL DEFAULT false,
    key_types text[],
    options jsonb NOT NULL DEFAULT '{}',
    reading_since timestamptz
);
CREATE INDEX attached_table_knowledge_base_id ON kb_rag.attached_table (knowledge_base_id);
COMMENT ON TABLE kb_rag.attached_table IS 'the tables that documents are made from, by knowledge base; written by kb_attach and kb_detach, listed by kb_rag.source_status';
COMMENT ON COLUMN kb_rag.attached_table.source_id IS 'the row in the table source of the knowledge base';
COMMENT ON COLUMN kb_rag.attached_table.knowledge_base_id IS 'the knowledge base';
COMMENT ON COLUMN kb_rag.attached_table.location IS 'qualified name of the table when it was last looked at';
COMMENT ON COLUMN kb_rag.attached_table.relation IS 'OID of the table that numbers refers to';
COMMENT ON COLUMN kb_rag.attached_table.uses IS 'how each column is used: content, title, key, metadata, more_content, mime_type, language, url, condition or embedding';
COMMENT ON COLUMN kb_rag.attached_table.options IS 'constants that kb_attach was given for mime_type and language, the template of the URL, the condition, and the model whose vectors are taken';
COMMENT ON COLUMN kb_rag.attached_table.labels IS 'the key of each column in metadata: its name when the table was attached';
COMMENT ON COLUMN kb_rag.attached_table.names IS 'the name of each column when the table was last looked at';
COMMENT ON COLUMN kb_rag.attached_table.numbers IS 'the number of each column in the table';
COMMENT ON COLUMN kb_rag.attached_table.source_type IS 'source_type of the documents';
COMMENT ON COLUMN kb_rag.attached_table.is_read IS 'whether all rows that existed when the table was attached have been read';
COMMENT ON COLUMN kb_rag.attached_table.read_to IS 'key of the last row read; NULL before the first one and once all have been read';
COMMENT ON COLUMN kb_rag.attached_table.rows_read IS 'number of these rows that have been read';
COMMENT ON COLUMN kb_rag.attached_table.rows_in_all IS 'how many there were: counted up to 100,000, about that many above';
COMMENT ON COLUMN kb_rag.attached_table.attached_at IS 'when the table was attached';
COMMENT ON COLUMN kb_rag.attached_table.row_security IS 'refuse or ignore: with refuse the knowledge base is closed to roles to which row security of the table applies';
COMMENT ON COLUMN kb_rag.attached_table.row_secured IS 'whether the table had row security when it was last looked at: with refuse the knowledge base stays closed if the table is dropped';
COMMENT ON COLUMN kb_rag.attached_table.key_types IS 'the types of the key when the table was attached, where its row security is to be followed: with ignore by policies of the knowledge base, with refuse once the table is attached again; NULL otherwise';
COMMENT ON COLUMN kb_rag.attached_table.reading_since IS 'when the first of these rows was read; NULL before';
SELECT pg_catalog.pg_extension_config_dump('kb_rag.attached_table', '');

CREATE FUNCTION kb_rag.attached_changed() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'attached_changed_wrapper';
COMMENT ON FUNCTION kb_rag.attached_changed() IS 'keeps the documents of an attached table in sync with the rows that a statement wrote: reads as the owner of the table, writes as the owner of the knowledge base';
CREATE FUNCTION kb_rag.is_same(a anyelement, b anyelement) RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'is_same_wrapper';
COMMENT ON FUNCTION kb_rag.is_same(anyelement, anyelement) IS 'whether two values are stored as the same bytes, or both are NULL; long texts are not read if both values are the same stored text';

CREATE FUNCTION kb_rag.url_encode(value text) RETURNS text
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'url_encode_wrapper';
COMMENT ON FUNCTION kb_rag.url_encode(text) IS 'a text as one segment of a URL: all but letters, digits and -._~ is percent-encoded; NULL for NULL';

CREATE FUNCTION kb_rag.condition_holds(condition text, names text[], key text, VARIADIC "columns" "any") RETURNS boolean
    LANGUAGE c COST 10 AS 'MODULE_PATHNAME', 'condition_holds_wrapper';
COMMENT ON FUNCTION kb_rag.condition_holds(text, text[], text, "any") IS 'whether a condition holds for a row of an attached table, whose columns have these names and values; false for NULL and, with a warning that names the key, if an error is raised; runs the condition with the privileges of the caller';
CREATE FUNCTION kb_rag.as_jsonb(value anyelement) RETURNS jsonb
    LANGUAGE c COST 10 AS 'MODULE_PATHNAME', 'as_jsonb_wrapper';
COMMENT ON FUNCTION kb_rag.as_jsonb(anyelement) IS 'a value as jsonb, or its text as a JSON string if jsonb cannot hold it, such as json with \u0000; NULL for NULL';
CREATE FUNCTION kb_rag.row_is_visible(source_id uuid, source_key text) RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'row_is_visible_wrapper';
COMMENT ON FUNCTION kb_rag.row_is_visible(uuid, text) IS 'whether the current role sees the row of an attached table that a document is made from: asked by the policies of knowledge bases that follow row security of the table; true without a source and for sources that are not followed';

CREATE FUNCTION kb_rag.source_overview() RETURNS TABLE (
    knowledge_base text, source_id uuid, location text, status text, error_message text, documents int8,
    rows_read int8, rows_before int8, last_synced_at timestamptz, kind text, next_sync_at timestamptz, row_security text,
    rows_per_second float8, seconds_to_go float8, stale_vectors int8
) LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'source_overview_with_pace_wrapper';
COMMENT ON FUNCTION kb_rag.source_overview() IS 'the rows of the view kb_rag.source_status';
CREATE VIEW kb_rag.source_status AS SELECT * FROM kb_rag.source_overview();
COMMENT ON VIEW kb_rag.source_status IS 'the tables and URLs that documents of the knowledge bases you may read are made from: their state, and how much of them has been read';
COMMENT ON COLUMN kb_rag.source_status.knowledge_base IS 'name of the knowledge base';
COMMENT ON COLUMN kb_rag.source_status.source_id IS 'the row in its table source';
COMMENT ON COLUMN kb_rag.source_status.location IS 'the table or the URL';
COMMENT ON COLUMN kb_rag.source_status.status IS 'pending while existing rows are being read, or the URL waits; processing while it is being fetched; indexed; or failed';
COMMENT ON COLUMN kb_rag.source_status.error_message IS 'why changes of its rows are not applied, or what could not be fetched';
COMMENT ON COLUMN kb_rag.source_status.documents IS 'number of documents made from it; NULL where row security hides documents';
COMMENT ON COLUMN kb_rag.source_status.rows_read IS 'number of rows read, of those that existed when the table was attached, NULL where row security hides documents; pages of the last crawl that were fetched';
COMMENT ON COLUMN kb_rag.source_status.rows_before IS 'number of rows in the table when it was attached: counted up to 100,000, about that many above, NULL where row security hides documents; pages that the last crawl has found';
COMMENT ON COLUMN kb_rag.source_status.last_synced_at IS 'when all rows were last compared with the documents, or all pages fetched';
COMMENT ON COLUMN kb_rag.source_status.kind IS 'table or url';
COMMENT ON COLUMN kb_rag.source_status.next_sync_at IS 'when the URL is fetched again; NULL without auto_sync';
COMMENT ON COLUMN kb_rag.source_status.row_security IS 'of a table, what kb_attach was told: follow shows documents to those who see their rows, refuse closes the knowledge base to roles to which row security of the table applies, ignore shows all; NULL for a URL';
COMMENT ON COLUMN kb_rag.source_status.rows_per_second IS 'of a table whose existing rows are being read, how many were read per second since that began; NULL otherwise, and where row security hides documents';
COMMENT ON COLUMN kb_rag.source_status.seconds_to_go IS 'in how many seconds the rest is read at this pace, vectors apart; NULL as rows_per_second';
COMMENT ON COLUMN kb_rag.source_status.stale_vectors IS 'of a table attached with embedding, how many documents have a vector that was made for an earlier title or text; NULL otherwise, and where row security hides documents';
GRANT SELECT ON kb_rag.source_status TO PUBLIC;
