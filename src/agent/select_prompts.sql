SELECT p.id, p.version, p.content, p.owner, p.created_at
FROM kb_rag.prompt p
WHERE ($1::text IS NULL OR p.id = $1) AND ($2::int IS NULL OR p.version = $2)
ORDER BY p.id, p.version DESC
LIMIT $3
