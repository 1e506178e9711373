-- The attachments of agent $1 to the bases $2, and to bases that are not in the catalog, as after a partial restore.
DELETE FROM kb_rag.agent_knowledge_base a
WHERE a.agent_id = $1
    AND (a.knowledge_base_id = ANY ($2) OR NOT EXISTS (SELECT FROM kb_rag.knowledge_base k WHERE k.id = a.knowledge_base_id))
