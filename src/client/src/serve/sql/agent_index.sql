-- Fetches a source of this agent again. NULL where the agent has no such source.
SELECT s.source_id::pg_catalog.text
FROM {extension}.kb_source_list($1, {extension}.kb_agent($2)) s
WHERE s.source_id = $3::pg_catalog.uuid AND {extension}.kb_source_sync(s.source_id) IS NOT NULL
