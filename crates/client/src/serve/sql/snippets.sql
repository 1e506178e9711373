SELECT found::pg_catalog.text,
    -- The notice of the server comes once a session, and sessions are shared.
    CASE WHEN found OPERATOR(pg_catalog.=) '[]' AND agent.name OPERATOR(pg_catalog.<>) '' AND NOT EXISTS (
        SELECT FROM {extension}.kb_agent_list() a
        WHERE a.agent_id OPERATOR(pg_catalog.=) {extension}.kb_agent(COALESCE(NULLIF(agent.name, ''), '-'))
    ) THEN pg_catalog.concat('no knowledge base that this role may read is attached to agent "', $3,
        '"; attach one with kb_attach_agent')
    WHEN found OPERATOR(pg_catalog.=) '[]' AND agent.name OPERATOR(pg_catalog.<>) '' AND EXISTS (
        SELECT FROM {extension}.kb_agent_list() a
        WHERE a.agent_id OPERATOR(pg_catalog.=) {extension}.kb_agent(COALESCE(NULLIF(agent.name, ''), '-'))
            -- Not a column of an older catalog.
            AND (pg_catalog.to_json(a) OPERATOR(pg_catalog.->>) 'use_knowledge_base') OPERATOR(pg_catalog.=) 'false'
    ) THEN pg_catalog.concat('agent "', $3, '" does not use its knowledge bases; kb_agent_configure changes that') END
FROM {extension}.kb_snippets(messages => $1::pg_catalog.jsonb, top_k => $2::pg_catalog.int4, agent_id => $3, session_id => $4) found,
    -- kb_agent refuses a blank name.
    (SELECT CASE WHEN pg_catalog.btrim($3) OPERATOR(pg_catalog.<>) '' THEN $3 ELSE '' END) agent (name)
