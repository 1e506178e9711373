SELECT s.chunk_id, s.content, s.metadata, s.score / (1 + s.score) / 10
FROM {extension}.kb_search($1, mode => 'keyword', match_count => coalesce($2, 1000), agent_id => {id}) s
