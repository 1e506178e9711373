-- The check holds for every row. It makes the policy depend on the function, as the one that follows tables does: DROP EXTENSION drops
-- both, and the table stays closed.
CREATE POLICY kb_rag_open ON {table} USING (true) WITH CHECK (kb_rag.row_is_visible(NULL::uuid, NULL::text));
COMMENT ON POLICY kb_rag_open ON {table} IS 'shows what other policies do not restrict: the table had no row security; drop it when you make policies of your own; made by kb_attach';
