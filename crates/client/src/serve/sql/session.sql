SELECT pg_catalog.json_build_object(
    'role', current_user,
    'version', (SELECT e.extversion FROM pg_catalog.pg_extension e WHERE e.extname = 'kb_rag'),
    'max_upload_bytes', $1, 'root', $2)::pg_catalog.text
