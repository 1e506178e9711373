(d.file_hash IS NOT NULL AND (d.reader IS NULL
            OR coalesce(coalesce(d.reader_version, 0) < (SELECT v.version FROM kb_rag.current_version v WHERE v.name = d.reader), false))
        OR NOT d.imported
            AND coalesce(d.chunker_version, 0) < (SELECT v.version FROM kb_rag.current_version v WHERE v.name = 'chunker'))