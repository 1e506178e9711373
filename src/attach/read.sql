-- The columns of the attached table $3, and its record in the catalog.
SELECT s.location, s.source_type, s.is_read, s.read_to,
    s.relation = r.oid::bigint AND s.location = l.location,
    l.location, r.relowner, r.relkind = 'p', r.relispartition,
    c.use, c.label, c.name, a.attname::text, a.attnum::int4, a.atttypid, format_type(a.atttypid, a.atttypmod), a.attgenerated = 'v',
    {options},
    (SELECT tn.nspname || '.' || y.typname FROM pg_type y JOIN pg_namespace tn ON tn.oid = y.typnamespace WHERE y.oid = a.atttypid)
FROM kb_rag.attached_table s
JOIN pg_class r ON r.oid = $3
JOIN pg_namespace n ON n.oid = r.relnamespace
CROSS JOIN LATERAL (SELECT format('%I.%I', n.nspname, r.relname) AS location OFFSET 0) l
CROSS JOIN LATERAL ROWS FROM (unnest(s.uses), unnest(s.labels), unnest(s.names), unnest(s.numbers))
    WITH ORDINALITY AS c (use, label, name, number, place)
LEFT JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND CASE WHEN s.relation = r.oid::bigint THEN a.attnum = c.number ELSE a.attname = c.name END
WHERE s.source_id = $1 AND s.knowledge_base_id = $2
ORDER BY c.place
