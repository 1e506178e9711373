SELECT 'detached' FROM (SELECT {extension}.kb_detach_agent({extension}.kb_agent($2), $1)) detached
