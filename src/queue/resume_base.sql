DELETE FROM kb_rag.pause
WHERE target IN (SELECT target FROM kb_rag.pause WHERE target = $1 AND until <= clock_timestamp() FOR UPDATE SKIP LOCKED)
