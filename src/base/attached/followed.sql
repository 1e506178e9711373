-- Attached tables, {condition}: whether their row security is followed, and the table that readers are asked for. That is the highest one
-- above the table that has the triggers of the source, or this one itself, with the same primary key. None if the table was dropped, or
-- its key is another one. The types of the key are those of now and of when the table was attached.
WITH RECURSIVE source AS MATERIALIZED (
    SELECT s.source_id, s.location, s.row_security = 'ignore' AND s.key_types IS NOT NULL AS follows, s.key_types, s.uses, s.names, s.numbers, s.relation,
        coalesce((
            SELECT t.tgrelid
            FROM pg_trigger t
            WHERE t.tgrelid = s.relation::oid AND t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0 AND t.tgtype & 4 <> 0
                AND t.tgargs = convert_to(s.knowledge_base_id::text, 'UTF8') || '\x00'::bytea || convert_to(s.source_id::text, 'UTF8') || '\x00'::bytea
            LIMIT 1
        ), (
            SELECT t.tgrelid
            FROM pg_trigger t
            WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0 AND t.tgtype & 4 <> 0
                AND t.tgargs = convert_to(s.knowledge_base_id::text, 'UTF8') || '\x00'::bytea || convert_to(s.source_id::text, 'UTF8') || '\x00'::bytea
            ORDER BY t.oid
            LIMIT 1
        )) AS found
    FROM kb_rag.attached_table s
    WHERE {condition}
),
key AS (
    SELECT s.source_id, array_agg(a.attname::text ORDER BY c.place) AS names, array_agg(a.atttypid::int8 ORDER BY c.place) AS kinds
    FROM source s
    CROSS JOIN LATERAL ROWS FROM (unnest(s.uses), unnest(s.names), unnest(s.numbers)) WITH ORDINALITY AS c (use, name, number, place)
    LEFT JOIN pg_attribute a ON a.attrelid = s.found AND a.attnum > 0 AND NOT a.attisdropped
        AND CASE WHEN s.relation = s.found::int8 THEN a.attnum = c.number ELSE a.attname = c.name END
    WHERE c.use = 'key'
    GROUP BY s.source_id, s.key_types
    HAVING bool_and(a.attname IS NOT NULL) AND array_agg(format_type(a.atttypid, NULL) ORDER BY c.place) = s.key_types
),
above AS (
    SELECT s.source_id, s.found AS relation, 0 AS height FROM source s
    UNION ALL SELECT b.source_id, i.inhparent, b.height + 1 FROM above b JOIN pg_inherits i ON i.inhrelid = b.relation
),
asked AS (
    SELECT DISTINCT ON (b.source_id) b.source_id, b.relation, k.names, k.kinds,
        (SELECT array_agg(a.attnum::int4) FROM pg_attribute a WHERE a.attrelid = b.relation AND a.attname::text = ANY (k.names)) AS numbers
    FROM above b
    JOIN key k USING (source_id)
    JOIN pg_index x ON x.indrelid = b.relation AND x.indisprimary
    WHERE (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = b.relation AND a.attnum = ANY (x.indkey))
        = (SELECT array_agg(n ORDER BY n) FROM unnest(k.names) n)
    ORDER BY b.source_id, b.height DESC
)
SELECT s.source_id, s.location, s.follows, r.oid, quote_ident(n.nspname) || '.' || quote_ident(r.relname), r.relkind = 'p', n.oid, r.relowner, a.names, a.kinds, a.numbers
FROM source s
LEFT JOIN asked a USING (source_id)
LEFT JOIN pg_class r ON r.oid = a.relation
LEFT JOIN pg_namespace n ON n.oid = r.relnamespace
ORDER BY s.location, s.source_id
