SELECT pg_catalog.json_build_object('document_id', added.id)::pg_catalog.text, CASE WHEN added.id IS NULL THEN 200 ELSE 201 END
FROM (
    SELECT {extension}.kb_add_output(knowledge_base => $1, output => $2, agent_id => $3, title => $4,
        metadata => $5::pg_catalog.jsonb) AS id
) added
