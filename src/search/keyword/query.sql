-- Where documents have several languages, a phrase may be found in any of them. Of a phrase, $2 has what PostgreSQL cuts
-- into words and $3 the tsquery of the rest; $4 and $5 are the same for what is excluded.
WITH config AS (
    SELECT name::regconfig AS id FROM unnest($1) AS name
), demanded AS (
    SELECT string_agg(DISTINCT nullif(concat_ws(' & ', nullif(phraseto_tsquery(id, words)::text, ''), bigrams), ''), ' | ') AS query
    FROM unnest($2, $3) WITH ORDINALITY AS p (words, bigrams, place), config
    GROUP BY place
), excluded AS (
    SELECT string_agg(DISTINCT nullif(concat_ws(' & ', nullif(phraseto_tsquery(id, words)::text, ''), bigrams), ''), ' | ') AS query
    FROM unnest($4, $5) WITH ORDINALITY AS p (words, bigrams, place), config
    GROUP BY place
)
SELECT (
    SELECT string_agg(part, ' & ')
    FROM (SELECT '(' || query || ')' FROM demanded UNION ALL SELECT '!(' || query || ')' FROM excluded) AS parts (part)
), (
    -- What the keyword index, which has no positions, can tell of the phrases.
    SELECT string_agg('(' || regexp_replace(query, '<(-|[0-9]+)>', '&', 'g') || ')', ' & ') FROM demanded
)
