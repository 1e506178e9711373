SELECT 'dropped' FROM (SELECT {extension}.kb_drop($1)) dropped
