SELECT d.id, a.id
FROM {schema}.document d
JOIN unnest($2::uuid[]) a (id) ON d.metadata->>'agent_id' = a.id::text
WHERE d.id = ANY ($1)
