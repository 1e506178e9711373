-- Earlier notes of the agent $2 of base $1, all but the last $3 agents, and those of a month ago. Never waits for a row.
DELETE FROM kb_rag.unattached_agent
WHERE ctid = ANY (ARRAY(
    SELECT u.ctid FROM kb_rag.unattached_agent u
    WHERE u.knowledge_base_id = $1 AND u.asked_at <= now() - interval '1 hour' AND (
        u.agent_id = $2 OR u.asked_at < now() - interval '30 days'
        OR u.asked_at <= (
            SELECT l.asked_at FROM kb_rag.unattached_agent l WHERE l.knowledge_base_id = $1 ORDER BY l.asked_at DESC OFFSET $3 LIMIT 1
        )
    )
    FOR UPDATE SKIP LOCKED
))
