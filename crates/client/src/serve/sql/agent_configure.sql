SELECT $1 FROM (SELECT {extension}.kb_agent_configure(agent_id => {extension}.kb_agent($1), use_knowledge_base => $2)) configured
