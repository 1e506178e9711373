CREATE POLICY kb_rag_follow ON {table} AS RESTRICTIVE USING ({condition});
COMMENT ON POLICY kb_rag_follow ON {table} IS 'shows documents of attached tables to those who see their rows; made by kb_attach';
