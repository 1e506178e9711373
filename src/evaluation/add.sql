INSERT INTO {schema}.question (
    question, expected_keys, expected_documents, expected_texts, filter, agent_id, tags, weight, is_draft
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING id
