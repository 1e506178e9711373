SELECT {extension}.kb_agent_drop({extension}.kb_agent($1), delete_documents => true)::pg_catalog.text
