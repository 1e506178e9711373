-- A file has one document: those of it that were named as another kind go. No table is named here, so that the lock of another
-- session is waited for while the statement runs, when it can be canceled.
SELECT {extension}.kb_add_file(knowledge_base => $1, file => $2, filename => $3, source_key => $4, metadata => $5, language => $6,
        source_id => $7, source_type => $8),
    (SELECT pg_catalog.count({extension}.kb_delete(d.id, $1)) FROM pg_catalog.unnest($9::pg_catalog.uuid[]) d(id))
