CREATE TRIGGER kb_rag_attached_truncate_{suffix} AFTER TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION kb_rag.attached_changed({base}, {source});
COMMENT ON TRIGGER kb_rag_attached_truncate_{suffix} ON {table} IS {comment}
