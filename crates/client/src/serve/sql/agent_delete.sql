SELECT 'dropped'
FROM (
    SELECT {extension}.kb_source_drop(s.source_id)
    FROM {extension}.kb_source_list($1, {extension}.kb_agent($2)) s
    WHERE s.source_id = $3::pg_catalog.uuid
) dropped
