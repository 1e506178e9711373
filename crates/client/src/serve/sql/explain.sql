SELECT {extension}.kb_explain(query => $1, knowledge_base => $2, chunk_id => $3::pg_catalog.text::pg_catalog.uuid, mode => $4, match_count => $5,
    source_type => $6, filter => $7::pg_catalog.jsonb, match_threshold => $8, agent_id => CASE WHEN $9 IS NOT NULL THEN {extension}.kb_agent($9) END,
    max_per_document => $10, syntax => $11, match_offset => $12, duplicates => $13)::pg_catalog.text
