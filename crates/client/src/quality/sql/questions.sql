-- The questions with a tag and with ids, in the order in which they were added.
SELECT id, question, expected_keys, expected_documents, expected_texts, filter, agent_id, tags, weight, is_draft
FROM {schema}.question
WHERE ($1::pg_catalog.text IS NULL OR $1 = ANY (tags)) AND ($2::pg_catalog.uuid[] IS NULL OR id = ANY ($2))
ORDER BY id
