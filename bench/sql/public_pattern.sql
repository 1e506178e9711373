-- Supabase's hybrid_search, over {wide}: websearch_to_tsquery and ts_rank_cd, twice the results from each
-- arm, reciprocal rank fusion in a full outer join. In one respect it is faster than published: its ORDER BY
-- row_number() sorts the whole table, while this version uses the vector index. The constant of the fusion is the
-- default of kb_hybrid_search.
-- $1 question, $2 its vector, $3 number of results; {arm} number of candidates from each arm.
WITH full_text AS (
    SELECT id, row_number() OVER (ORDER BY rank DESC) AS rank_ix
    FROM (
        SELECT id, ts_rank_cd(fts, websearch_to_tsquery('simple', $1)) AS rank
        FROM {wide}
        WHERE fts @@ websearch_to_tsquery('simple', $1)
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
