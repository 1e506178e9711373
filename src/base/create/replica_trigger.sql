-- Run as the extension's owner, as triggers.sql.

CREATE TRIGGER kb_rag_replicated BEFORE INSERT OR UPDATE OR DELETE ON {schema}.document
    FOR EACH ROW EXECUTE FUNCTION kb_rag.document_replicated({id});
COMMENT ON TRIGGER kb_rag_replicated ON {schema}.document IS 'has workers chunk and embed documents that arrive by logical replication without their chunks'
