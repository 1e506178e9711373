-- If documents have several languages, a phrase may be found in any of them. $2 has the part of each phrase that PostgreSQL
-- splits into words and $3 the tsquery of the rest; $4 and $5 are the same for exclusions. Each row has the alternatives of
-- one phrase or exclusion.
WITH config AS (
    SELECT name::regconfig AS id FROM unnest($1) AS name
), part AS (
    SELECT false AS is_excluded, place, words, bigrams FROM unnest($2, $3) WITH ORDINALITY AS p (words, bigrams, place)
    UNION ALL
    SELECT true, place, words, bigrams FROM unnest($4, $5) WITH ORDINALITY AS p (words, bigrams, place)
), alternative AS (
    SELECT DISTINCT is_excluded, place, nullif(concat_ws(' & ', nullif(phraseto_tsquery(id, words)::text, ''), bigrams), '') AS query
    FROM part, config
)
SELECT is_excluded, array_agg(query ORDER BY query)
FROM alternative
WHERE query IS NOT NULL
GROUP BY is_excluded, place
ORDER BY is_excluded, place
