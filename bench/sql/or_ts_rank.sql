-- The public pattern, changed so that questions in plain words find something: an OR of the question's
-- lexemes, ranked by ts_rank, and as many candidates from each arm as kb_rag takes.
-- $1 question, $2 its vector, $3 number of results; {arm} number of candidates from each arm.
WITH question AS MATERIALIZED (
    SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS any_of FROM unnest(to_tsvector('simple', $1))
),
full_text AS (
    SELECT id, row_number() OVER (ORDER BY rank DESC) AS rank_ix
    FROM (
        SELECT id, ts_rank(fts, (SELECT any_of FROM question)) AS rank
        FROM {wide}
        WHERE fts @@ (SELECT any_of FROM question)
        ORDER BY rank DESC
        LIMIT {arm}
    ) best
),
semantic AS (
    SELECT id, row_number() OVER (ORDER BY distance) AS rank_ix
    FROM (
        SELECT id, embedding <=> $2::vector AS distance
        FROM {wide}
        ORDER BY embedding <=> $2::vector
        LIMIT {arm}
    ) nearest
)
SELECT d.id, d.content, d.metadata,
    coalesce(1.0 / (10 + full_text.rank_ix), 0.0) + coalesce(1.0 / (10 + semantic.rank_ix), 0.0) AS score
FROM full_text
FULL OUTER JOIN semantic ON full_text.id = semantic.id
JOIN {wide} d ON d.id = coalesce(full_text.id, semantic.id)
ORDER BY score DESC
LIMIT $3::int8
