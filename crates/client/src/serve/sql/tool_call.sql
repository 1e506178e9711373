SELECT {extension}.kb_call_tool(name => $1, arguments => coalesce($2, '{}')::pg_catalog.jsonb,
    agent_id => CASE WHEN $3 IS NOT NULL THEN {extension}.kb_agent($3) END, session_id => $4)::pg_catalog.text
