SELECT {extension}.kb_snippets(messages => $1::pg_catalog.jsonb, top_k => $2::pg_catalog.int4, agent_id => $3, session_id => $4)::pg_catalog.text
