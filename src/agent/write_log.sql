INSERT INTO kb_rag.search_log (role, agent_id, session_id, tool, knowledge_bases, query, results, milliseconds, error)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
