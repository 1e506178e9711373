SELECT json_build_object(
    'version', (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'kb_rag'),
    'bases', count(*), 'chunks', sum(chunks), 'bytes', sum(table_bytes + index_bytes)
) FROM kb_rag.status
