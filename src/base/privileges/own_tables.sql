-- The tables of a base: those that kb_create made, those of its questions if it has them ($2), that of its summaries if it has it ($3),
-- and embedding_<n> while the model changes. $1 is its document. Other tables in the schema are not kb_rag's.
SELECT r.relname::text
FROM pg_class d
JOIN pg_class r ON r.relnamespace = d.relnamespace AND r.relowner = d.relowner
WHERE d.oid = $1 AND r.relkind = 'r'
    AND (r.relname = ANY ('{source,document,chunk,embedding,keyword_segment,keyword_run}') OR r.relname ~ '^embedding_[0-9]+$'
        OR $2 AND r.relname = ANY ('{question,evaluation}') OR $3 AND r.relname = 'summary')
ORDER BY r.relname
