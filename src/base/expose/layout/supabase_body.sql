SELECT s.chunk_id, s.content, s.metadata,
    (SELECT e.embedding::{vector}.vector FROM {schema}.embedding e WHERE e.chunk_id OPERATOR(pg_catalog.=) s.chunk_id), s.similarity
FROM {extension}.kb_search('', mode => 'semantic', match_count => coalesce($2, 1000), filter => $3, agent_id => {id}, query_embedding => $1,
    match_threshold => -1) s
