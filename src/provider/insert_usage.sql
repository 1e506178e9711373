INSERT INTO kb_rag.usage (knowledge_base_id, knowledge_base, model, at, calls, items, tokens, errors, cost, output_tokens)
VALUES ($1, $2, $3, clock_timestamp(), $4, $5, $6, $7, $8, $9)
