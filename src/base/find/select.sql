SELECT k.id, k.name, k.slug, k.schema, k.description, k.owner, {settings}, k.created_at, k.model_variants, k.next_model, k.next_dimensions, {next_cut}, {agent_filter} AS agent_filter,
    EXISTS (SELECT FROM kb_rag.attached_table a WHERE a.knowledge_base_id = k.id AND a.row_security = 'refuse') AS follows_tables,
    {follows_rows} AS follows_rows
FROM kb_rag.knowledge_base k
WHERE {condition}
ORDER BY k.name COLLATE "C"
