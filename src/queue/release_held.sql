-- Never waits: a session that has a row locked queues it.
WITH free AS (
    SELECT h.knowledge_base_id, h.kind, h.target FROM kb_rag.held_job h
    WHERE NOT EXISTS (
        SELECT FROM kb_rag.agent g
        JOIN kb_rag.agent_knowledge_base a ON a.agent_id = g.agent_id
        WHERE g.agent_id = h.agent_id AND a.knowledge_base_id = h.knowledge_base_id AND NOT g.use_knowledge_base
    )
    FOR UPDATE OF h SKIP LOCKED
), released AS (
    DELETE FROM kb_rag.held_job h USING free f
    WHERE (h.knowledge_base_id, h.kind, h.target) = (f.knowledge_base_id, f.kind, f.target)
    RETURNING h.knowledge_base_id, h.kind, h.target
)
INSERT INTO kb_rag.job (knowledge_base_id, kind, target) SELECT knowledge_base_id, kind, target FROM released
