-- The id of the document that is made of an output; otherwise why there is none. The settings exist once the function has run.
SELECT added.id, CASE WHEN added.id IS NULL THEN CASE pg_catalog.current_setting('kb_rag.auto_index')
    WHEN 'on' THEN pg_catalog.format('the text has no more than %s characters', pg_catalog.current_setting('kb_rag.auto_index_min_chars'))
    ELSE 'kb_rag.auto_index is off' END END
FROM (
    SELECT {extension}.kb_add_output(knowledge_base => $1, output => $2, agent_id => $3, title => $4)::pg_catalog.text AS id
    OFFSET 0
) added
