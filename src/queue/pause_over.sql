-- Never waits: a session that holds a row removes it anyway, as kb_retry does, or pauses again.
WITH free AS (
    SELECT provider, model, knowledge_base_id, kind FROM kb_rag.pause
    WHERE (model = $1 OR provider = $2 OR knowledge_base_id = $3 AND kind = $4) AND until <= clock_timestamp()
    FOR UPDATE SKIP LOCKED
)
DELETE FROM kb_rag.pause p USING free f
WHERE (p.provider, p.model, p.knowledge_base_id, p.kind) IS NOT DISTINCT FROM (f.provider, f.model, f.knowledge_base_id, f.kind)
