-- Agent $2, called $3, was answered from base $1: once an hour, and not after $4 others in this hour. Not an upsert: an open transaction
-- would hold up all others that ask for the same agent.
WITH noted AS (
    SELECT count(*) AS agents, coalesce(bool_or(u.agent_id = $2), false) AS is_noted
    FROM kb_rag.unattached_agent u
    WHERE u.knowledge_base_id = $1 AND u.asked_at > now() - interval '1 hour'
)
INSERT INTO kb_rag.unattached_agent (knowledge_base_id, agent_id, name)
SELECT $1, $2, $3 FROM noted WHERE NOT is_noted AND agents < $4
