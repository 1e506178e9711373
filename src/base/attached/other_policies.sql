-- Whether policies decide for role $2 what it reads in the tables $1 of a base, other than the two that kb_rag makes on each.
SELECT count(*) FILTER (WHERE o.is_own) <> 2 * cardinality($1) OR NOT bool_and(o.is_own)
FROM pg_policy p
CROSS JOIN LATERAL (
    SELECT p.polname IN ('kb_rag_follow', 'kb_rag_open') AND p.polpermissive = (p.polname = 'kb_rag_open') AND p.polcmd = '*' AND p.polroles = '{0}' AS is_own
) o
WHERE p.polrelid = ANY ($1) AND p.polcmd IN ('r', '*')
    AND EXISTS (SELECT FROM unnest(p.polroles) r (role) WHERE r.role = 0 OR pg_has_role($2, r.role, 'USAGE'))
