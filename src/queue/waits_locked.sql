-- Nobody claims it before this transaction ends.
SELECT id FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = $2 AND NOT failed AND worker IS NULL
LIMIT 1
FOR KEY SHARE SKIP LOCKED
