-- The second column is for a notice in place of those of the server, which has one for each call.
SELECT {extension}.kb_snippets(
    messages => $1::pg_catalog.jsonb, top_k => $2::pg_catalog.int4, agent_id => $3, session_id => $4, fallback_base => $5
)::pg_catalog.text, NULL::pg_catalog.text
