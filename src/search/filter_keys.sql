-- Whether there are more chunks or documents than the $1 that are read; otherwise the keys of the object at $2 in the metadata of those
-- that may be found, with the types of their values, and those values that are the text of the key in $5 but for letter case
-- and spaces around it, without longer ones. At most $3 of them, the keys $4 first.
WITH read AS MATERIALIZED ({rows} LIMIT $1 + 1)
SELECT count.is_more, held.key, held.type, held.alike
FROM (SELECT count(*) > $1 AS is_more FROM read) count
LEFT JOIN LATERAL (
    SELECT member.key, jsonb_typeof(member.value) AS type,
        array_agg(DISTINCT member.value #>> '{}')
            FILTER (WHERE lower(btrim(member.value #>> '{}')) = lower(btrim(wanted.text))) AS alike
    FROM read c, jsonb_each(CASE jsonb_typeof(c.metadata #> $2) WHEN 'object' THEN c.metadata #> $2 END) member
        LEFT JOIN unnest($4, $5) wanted (key, text) ON wanted.key = member.key AND wanted.text IS NOT NULL
            AND jsonb_typeof(member.value) = 'string' AND octet_length(member.value #>> '{}') <= 100
    WHERE {conditions}
    GROUP BY 1, 2
    ORDER BY (member.key = ANY ($4)) DESC, 1, 2
    LIMIT $3
) held ON NOT count.is_more
