SELECT question_id, rank, found_by, missing, expects_nothing, answered, ndcg_10, milliseconds
FROM {extension}.kb_evaluate_questions($1, $2, question_ids => $3)
