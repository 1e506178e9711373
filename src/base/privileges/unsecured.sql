-- The tables of a base without row security, if its document $1 has it. $2 are the tables that readers read. The view of
-- kb_expose among them has that of document.
SELECT string_agg(r.relname::text, ', ' ORDER BY r.relname)
FROM pg_class d
JOIN pg_class r ON r.relnamespace = d.relnamespace AND r.relname = ANY ($2) AND r.relkind = 'r'
WHERE d.oid = $1 AND d.relrowsecurity AND NOT r.relrowsecurity
