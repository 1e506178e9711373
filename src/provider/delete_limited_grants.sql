DELETE FROM kb_rag.limited_grant WHERE provider = $1 AND ($2 IS NULL OR role = $2) AND ($3 IS NULL OR agent_id = $3)
