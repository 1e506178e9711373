INSERT INTO kb_rag.prompt (id, version, content, owner) VALUES ($1, $2, $3, $4)
