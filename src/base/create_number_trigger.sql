-- Run as the extension's owner: nobody else may execute the trigger function.
CREATE TRIGGER kb_rag_number BEFORE UPDATE ON {schema}.chunk
    FOR EACH ROW
    WHEN (old.keyword_number = new.keyword_number AND (old.tsv IS DISTINCT FROM new.tsv OR old.length IS DISTINCT FROM new.length OR old.text_config IS DISTINCT FROM new.text_config))
    EXECUTE FUNCTION kb_rag.chunk_numbered({id});
COMMENT ON TRIGGER kb_rag_number ON {schema}.chunk IS 'gives chunks whose lexemes change a new number';
