-- The figures of a run, and each question with the documents that it expects and that the role sees.
WITH figures AS MATERIALIZED (
    SELECT f.* FROM {extension}.kb_evaluate($1, $2::pg_catalog.jsonb, tag => $3, save_as => $4) f
), asked AS MATERIALIZED (
    SELECT a.* FROM {extension}.kb_evaluate_questions($1, $2::pg_catalog.jsonb, tag => $3) a
)
SELECT pg_catalog.json_build_object(
    'figures', (SELECT pg_catalog.row_to_json(f) FROM figures f),
    'questions', (
        SELECT coalesce(pg_catalog.json_agg(r ORDER BY r.question_id), '[]')
        FROM (
            SELECT a.*, q.filter, q.agent_id, (
                SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
                    'document_id', d.id, 'title', d.title, 'source', d.source_key) ORDER BY d.id), '[]')
                FROM {schema}.document d
                WHERE d.id = ANY (q.expected_documents) OR d.source_key = ANY (q.expected_keys)
            ) AS expected
            FROM asked a
            LEFT JOIN {schema}.question q ON q.id = a.question_id
        ) r
    ))::pg_catalog.text
