-- Run as the extension's owner: nobody else may execute the trigger functions.

CREATE TRIGGER kb_rag_prepare BEFORE INSERT OR UPDATE ON {schema}.document
    FOR EACH ROW EXECUTE FUNCTION kb_rag.document_prepare();
CREATE TRIGGER kb_rag_insert AFTER INSERT ON {schema}.document
    REFERENCING NEW TABLE AS new_document
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_inserted({id});
CREATE TRIGGER kb_rag_update AFTER UPDATE ON {schema}.document
    REFERENCING OLD TABLE AS old_document NEW TABLE AS new_document
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.document_updated({id});
CREATE TRIGGER kb_rag_count_insert AFTER INSERT ON {schema}.chunk
    REFERENCING NEW TABLE AS new_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted({id});
CREATE TRIGGER kb_rag_count_update AFTER UPDATE ON {schema}.chunk
    REFERENCING OLD TABLE AS old_chunk NEW TABLE AS new_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted({id});
CREATE TRIGGER kb_rag_count_delete AFTER DELETE ON {schema}.chunk
    REFERENCING OLD TABLE AS old_chunk
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted({id});
CREATE TRIGGER kb_rag_count_truncate AFTER TRUNCATE ON {schema}.chunk
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.chunk_counted({id});
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON {schema}.chunk
    FOR EACH ROW
    WHEN (old.keyword_number = new.keyword_number AND (old.tsv IS DISTINCT FROM new.tsv OR old.length IS DISTINCT FROM new.length OR old.text_config IS DISTINCT FROM new.text_config))
    EXECUTE FUNCTION kb_rag.chunk_numbered({id});
COMMENT ON TRIGGER kb_rag_prepare ON {schema}.document IS 'fills the columns that kb_rag keeps';
COMMENT ON TRIGGER kb_rag_insert ON {schema}.document IS 'chunks and embeds inserted documents';
COMMENT ON TRIGGER kb_rag_update ON {schema}.document IS 'chunks and embeds what changed';
COMMENT ON TRIGGER kb_rag_count_insert ON {schema}.chunk IS 'keeps the keyword index';
COMMENT ON TRIGGER kb_rag_count_update ON {schema}.chunk IS 'keeps the keyword index';
COMMENT ON TRIGGER kb_rag_count_delete ON {schema}.chunk IS 'keeps the keyword index';
COMMENT ON TRIGGER kb_rag_count_truncate ON {schema}.chunk IS 'keeps the keyword index';
COMMENT ON TRIGGER kb_rag_number ON {schema}.chunk IS 'gives chunks whose lexemes change a new number'
