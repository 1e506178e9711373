-- For each of the lexemes $1 the rows that have it, numbered from 0, and how often it occurs there, by weight.
WITH numbered AS (
    SELECT (row_number() OVER (ORDER BY id) - 1)::int4 AS number, tsv FROM {table}
)
SELECT t.lexeme, array_agg(c.number), array_agg((
        SELECT sum(CASE weight WHEN 'A' THEN {title} WHEN 'B' THEN {heading} ELSE 1 END) FROM unnest(t.weights) AS weight
    )::float4)
FROM numbered c, unnest(c.tsv) AS t
WHERE t.lexeme = ANY ($1)
GROUP BY t.lexeme
