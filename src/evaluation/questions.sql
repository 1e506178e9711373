SELECT id, question, expected_keys, expected_documents, expected_texts, filter, agent_id, weight
FROM {schema}.question
WHERE ($1::text IS NULL OR $1 = ANY (tags)) AND ($2::uuid[] IS NULL OR id = ANY ($2))
ORDER BY id
