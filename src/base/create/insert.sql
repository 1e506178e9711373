INSERT INTO kb_rag.knowledge_base (id, name, slug, schema, description, owner, model_variants, {settings})
VALUES ($1, $2, $3, $4, $5, $6, $7, {values})
ON CONFLICT DO NOTHING
