-- PostgreSQL clones these to every partition, even to later ones.
CREATE TRIGGER kb_rag_attached_insert_{suffix} AFTER INSERT ON {table}
    FOR EACH ROW EXECUTE FUNCTION kb_rag.attached_changed({base}, {source});
CREATE TRIGGER kb_rag_attached_update_{suffix} AFTER UPDATE ON {table}
    FOR EACH ROW EXECUTE FUNCTION kb_rag.attached_changed({base}, {source});
CREATE TRIGGER kb_rag_attached_delete_{suffix} AFTER DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION kb_rag.attached_changed({base}, {source});
COMMENT ON TRIGGER kb_rag_attached_insert_{suffix} ON {table} IS {comment};
COMMENT ON TRIGGER kb_rag_attached_update_{suffix} ON {table} IS {comment};
COMMENT ON TRIGGER kb_rag_attached_delete_{suffix} ON {table} IS {comment}
