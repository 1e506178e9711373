-- The tables $1 of a base: row security, the policies that kb_rag makes, and whether there are others. The sources are those that the
-- policy of the table names.
SELECT c.relname::text, c.relrowsecurity,
    EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'kb_rag_follow'),
    EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'kb_rag_open'),
    EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname NOT IN ('kb_rag_follow', 'kb_rag_open')),
    ARRAY(
        SELECT m.match[1]::uuid
        FROM pg_policy p
        CROSS JOIN LATERAL regexp_matches(pg_get_expr(p.polqual, p.polrelid), '''([0-9a-f]{8}-[0-9a-f-]{27})''', 'g') m (match)
        WHERE p.polrelid = c.oid AND p.polname = 'kb_rag_follow'
        ORDER BY 1
    )
FROM pg_class c
WHERE c.oid = ANY ($1)
