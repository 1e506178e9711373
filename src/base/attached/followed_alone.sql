-- The sources that base $3 follows. NULL if policies other than the two that kb_rag makes on each of its tables $1 decide what role $2 reads.
SELECT CASE WHEN count(*) FILTER (WHERE o.is_own) = 2 * cardinality($1) AND bool_and(o.is_own) THEN
    ARRAY(SELECT a.source_id FROM kb_rag.attached_table a WHERE a.knowledge_base_id = $3 AND a.row_security = 'ignore' AND a.key_types IS NOT NULL)
END
FROM pg_policy p
CROSS JOIN LATERAL (
    SELECT p.polname IN ('kb_rag_follow', 'kb_rag_open') AND p.polpermissive = (p.polname = 'kb_rag_open') AND p.polcmd = '*' AND p.polroles = '{0}'
        AND (p.polname = 'kb_rag_follow' OR pg_get_expr(p.polqual, p.polrelid) = 'true') AS is_own
) o
WHERE p.polrelid = ANY ($1) AND p.polcmd IN ('r', '*')
    AND EXISTS (SELECT FROM unnest(p.polroles) r (role) WHERE r.role = 0 OR pg_has_role($2, r.role, 'USAGE'))
