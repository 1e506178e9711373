SELECT k.id, k.name, k.slug, k.schema, k.description, k.owner, {settings}, k.created_at, k.model_variants, k.next_model, k.next_dimensions, {agent_filter} AS agent_filter
FROM kb_rag.knowledge_base k
WHERE {condition}
ORDER BY k.name
