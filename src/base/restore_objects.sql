DROP TRIGGER IF EXISTS kb_rag_prepare ON {schema}.document;
DROP TRIGGER IF EXISTS kb_rag_insert ON {schema}.document;
DROP TRIGGER IF EXISTS kb_rag_update ON {schema}.document;
DROP TRIGGER IF EXISTS kb_rag_count_insert ON {schema}.chunk;
DROP TRIGGER IF EXISTS kb_rag_count_update ON {schema}.chunk;
DROP TRIGGER IF EXISTS kb_rag_count_delete ON {schema}.chunk;
DROP TRIGGER IF EXISTS kb_rag_count_truncate ON {schema}.chunk;
ALTER TABLE {schema}.source ALTER COLUMN id SET DEFAULT kb_rag.uuid_v7();
ALTER TABLE {schema}.document ALTER COLUMN id SET DEFAULT kb_rag.uuid_v7();
DROP INDEX IF EXISTS {schema}.chunk_keyword
