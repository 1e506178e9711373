ALTER TABLE {schema}.source ALTER COLUMN id SET DEFAULT kb_rag.uuid_v7();
ALTER TABLE {schema}.document ALTER COLUMN id SET DEFAULT kb_rag.uuid_v7()
