SELECT {extension}.kb_tools(agent_id => CASE WHEN $1 IS NOT NULL THEN {extension}.kb_agent($1) END, format => $2)::pg_catalog.text
