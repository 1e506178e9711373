SELECT pg_catalog.json_build_object('queued',
    {extension}.kb_source_sync(source_id => $1::pg_catalog.uuid, force => $2))::pg_catalog.text
