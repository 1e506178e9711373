DELETE FROM kb_rag.search_log
WHERE id = ANY (ARRAY(
    SELECT l.id FROM kb_rag.search_log l
    WHERE l.at < now() - make_interval(secs => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED
))
