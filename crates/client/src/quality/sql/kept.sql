-- A kept run: how many configurations it has, and the first.
SELECT pg_catalog.jsonb_array_length(run -> 'configurations'), run #> '{configurations,0}'
FROM {schema}.evaluation
WHERE name = $1
