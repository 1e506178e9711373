SELECT pg_catalog.create_reference_table('kb_rag.placement')
