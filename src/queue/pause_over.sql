-- Never waits: a session that holds a row removes it anyway, as kb_retry does, or pauses again.
DELETE FROM kb_rag.pause WHERE target IN (
    SELECT target FROM kb_rag.pause
    WHERE target IN ($1, split_part($1, '/', 1), $2) AND until <= clock_timestamp()
    FOR UPDATE SKIP LOCKED
)
