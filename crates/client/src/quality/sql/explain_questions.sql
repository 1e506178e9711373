-- Fails with the reason why its questions cannot be read.
SELECT pg_catalog.count(*) FROM {extension}.kb_evaluate_questions($1, question_ids => '{}')
