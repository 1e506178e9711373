WITH claimed AS (
    DELETE FROM kb_rag.job
    WHERE id IN (SELECT id FROM kb_rag.job WHERE id = ANY ($1) AND worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
    RETURNING id, knowledge_base_id, kind, target
)
INSERT INTO kb_rag.held_job AS h (knowledge_base_id, kind, target, agent_id)
SELECT DISTINCT ON (c.knowledge_base_id, c.kind, c.target) c.knowledge_base_id, c.kind, c.target, a.agent_id
FROM claimed c
JOIN unnest($1::uuid[], $2::uuid[]) a (id, agent_id) ON a.id = c.id
ON CONFLICT (knowledge_base_id, kind, target) DO UPDATE SET agent_id = excluded.agent_id
