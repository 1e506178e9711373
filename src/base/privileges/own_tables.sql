-- The tables of a base: those that kb_create made, others of kb_rag that it has ($2),
-- and embedding_<n> while the model changes. $1 is its document. Other tables in the schema are not kb_rag's.
SELECT r.relname::text
FROM pg_class d
JOIN pg_class r ON r.relnamespace = d.relnamespace AND r.relowner = d.relowner
WHERE d.oid = $1 AND r.relkind = 'r'
    AND (r.relname = ANY ('{source,document,chunk,embedding,keyword_segment,keyword_run}') OR r.relname ~ '^embedding_[0-9]+$'
        OR r.relname = ANY ($2))
ORDER BY r.relname
