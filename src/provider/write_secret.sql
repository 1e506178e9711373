INSERT INTO kb_rag.secret (name, value, origin, owner) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, origin = excluded.origin
