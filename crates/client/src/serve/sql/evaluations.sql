-- The kept runs of a base, the newest first. Their figures are made of what each question got, as kb_evaluate makes them. Rows can
-- be written by hand: what is no number does not count.
SELECT coalesce(pg_catalog.json_agg(r ORDER BY r.created_at DESC, r.name), '[]')::pg_catalog.text
FROM (
    SELECT e.name, e.created_at, e.run OPERATOR(pg_catalog.->>) 'model' AS model, e.run OPERATOR(pg_catalog.->>) 'tag' AS tag, (
        SELECT coalesce(pg_catalog.json_agg(f ORDER BY f.place), '[]')
        FROM pg_catalog.jsonb_path_query(e.run, '$.configurations[*]') WITH ORDINALITY c (configuration, place)
        CROSS JOIN LATERAL (
            SELECT c.place, c.configuration OPERATOR(pg_catalog.->) 'arguments' AS arguments, pg_catalog.count(*) AS questions,
                pg_catalog.count(*) FILTER (WHERE q.is_missing) AS missing,
                pg_catalog.count(*) FILTER (WHERE q.ndcg_10 IS NULL AND NOT q.is_missing) AS without_answer,
                (pg_catalog.sum(CASE WHEN q.rank = 1 THEN q.weight ELSE 0 END) / nullif(pg_catalog.sum(q.weight), 0))::pg_catalog.float8 AS first_hit,
                (pg_catalog.sum(CASE WHEN q.rank <= 5 THEN q.weight ELSE 0 END) / nullif(pg_catalog.sum(q.weight), 0))::pg_catalog.float8 AS hits_5,
                (pg_catalog.sum(CASE WHEN q.rank > 0 THEN q.weight ELSE 0 END) / nullif(pg_catalog.sum(q.weight), 0))::pg_catalog.float8 AS hits_k,
                (pg_catalog.sum(CASE WHEN q.rank > 0 THEN q.weight / q.rank ELSE 0 END) / nullif(pg_catalog.sum(q.weight), 0))::pg_catalog.float8 AS mrr,
                (pg_catalog.sum(q.weight * q.ndcg_10) / nullif(pg_catalog.sum(q.weight), 0))::pg_catalog.float8 AS ndcg_10,
                pg_catalog.count(*) FILTER (WHERE q.ndcg_10 IS NULL AND NOT q.is_missing AND q.is_answered) AS answered_by_mistake,
                pg_catalog.count(*) FILTER (WHERE q.ndcg_10 IS NOT NULL AND NOT q.is_answered) AS refused_by_mistake
            FROM (
                SELECT n.ndcg_10, n.rank, CASE WHEN n.ndcg_10 IS NOT NULL THEN n.weight END AS weight,
                    g.got OPERATOR(pg_catalog.@>) '{"missing": true}' AS is_missing,
                    g.got OPERATOR(pg_catalog.@>) '{"answered": true}' AS is_answered
                FROM pg_catalog.jsonb_path_query(c.configuration, '$.questions[*]') g (got)
                CROSS JOIN LATERAL (
                    SELECT CASE pg_catalog.jsonb_typeof(g.got OPERATOR(pg_catalog.->) 'ndcg_10') WHEN 'number'
                            THEN (g.got OPERATOR(pg_catalog.->>) 'ndcg_10')::pg_catalog.numeric END AS ndcg_10,
                        CASE pg_catalog.jsonb_typeof(g.got OPERATOR(pg_catalog.->) 'rank') WHEN 'number'
                            THEN (g.got OPERATOR(pg_catalog.->>) 'rank')::pg_catalog.numeric END AS rank,
                        CASE pg_catalog.jsonb_typeof(g.got OPERATOR(pg_catalog.->) 'weight') WHEN 'number'
                            THEN (g.got OPERATOR(pg_catalog.->>) 'weight')::pg_catalog.numeric END AS weight
                ) n
            ) q
        ) f
    ) AS configurations
    FROM {schema}.evaluation e
) r
