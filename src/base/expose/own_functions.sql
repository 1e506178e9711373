-- The functions of owner $1 with a comment of $2: kb_expose made them. Those in schema $4 are of the base that is there, also where they
-- name the base that it was copied from; others of the base $3, which they name, unless another base is in their schema. With their names,
-- signatures and comments.
SELECT p.oid, format('%I.%I', n.nspname, p.proname),
    format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)), d.description
FROM pg_description d
JOIN pg_proc p ON p.oid = d.objoid
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE d.classoid = 'pg_proc'::regclass AND d.objsubid = 0 AND d.description = ANY ($2) AND p.proowner = $1
    AND (p.pronamespace = $4 OR p.prosrc LIKE '%' || $3 || '%' AND NOT EXISTS (
        SELECT FROM pg_class t WHERE t.relnamespace = p.pronamespace AND t.relname = 'keyword_segment'
    ))
ORDER BY p.oid
