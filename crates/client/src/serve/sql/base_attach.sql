-- Looks first whether the base is attached, and only then attaches it.
WITH before AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM {extension}.kb_agent_list($1) a WHERE a.agent_id = {extension}.kb_agent($2)) AS is_attached
)
SELECT pg_catalog.json_build_object('agent_id', {extension}.kb_agent($2), 'knowledge_base', $1,
        'filter', coalesce($3::pg_catalog.jsonb, '{}'))::pg_catalog.text,
    CASE WHEN before.is_attached THEN 200 ELSE 201 END
FROM before
CROSS JOIN LATERAL (
    SELECT {extension}.kb_attach_agent({extension}.kb_agent($2), $1, $3::pg_catalog.jsonb)
    WHERE before.is_attached IS NOT NULL
) attached
