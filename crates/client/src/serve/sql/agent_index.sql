-- Fetches a source of this agent again. NULL where the agent has no such source.
WITH own AS MATERIALIZED (
    SELECT s.source_id
    FROM {extension}.kb_source_list($1, {extension}.kb_agent($2)) s
    WHERE s.source_id = $3::pg_catalog.uuid
)
SELECT own.source_id::pg_catalog.text FROM own WHERE {extension}.kb_source_sync(own.source_id) IS NOT NULL
