SELECT {extension}.kb_agent($1)
