-- Not those that a worker has: one of another version of the library knows the kind.
UPDATE kb_rag.job SET failed = true, error = $3
WHERE id IN (SELECT id FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = $2 AND NOT failed AND worker IS NULL FOR UPDATE SKIP LOCKED)
