-- Tables of users that documents are made from: kb_attach and its triggers.

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
