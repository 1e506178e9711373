SELECT EXISTS (
    SELECT FROM {schema}.question
    WHERE question = $1 AND expected_keys = $2 AND expected_documents = $3 AND expected_texts = $4 AND filter = $5
        AND agent_id IS NOT DISTINCT FROM $6
)
