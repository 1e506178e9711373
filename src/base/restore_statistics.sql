ALTER TABLE {schema}.corpus ALTER COLUMN id SET DEFAULT kb_rag.uuid_v7()
