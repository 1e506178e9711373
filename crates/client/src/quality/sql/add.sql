SELECT {extension}.kb_question_add($1, $2, expected_keys => $3, expected_documents => $4, expected_texts => $5, filter => $6,
    agent_id => $7, tags => $8, weight => $9)
