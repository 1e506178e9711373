-- The attached tables of base $1, or of all, each with its present table as triggers find it, by name where it has lost them; NULL if it
-- was dropped. And the tables above and below it.
attached AS MATERIALIZED (
    SELECT s.source_id, s.location, s.row_security, s.row_secured, coalesce(t.relation, to_regclass(s.location)::oid) AS relation
    FROM kb_rag.attached_table s
    LEFT JOIN LATERAL (
        SELECT t.tgrelid AS relation
        FROM pg_trigger t
        WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0 AND t.tgtype & 4 <> 0
            AND t.tgargs = convert_to(s.knowledge_base_id::text, 'UTF8') || '\x00'::bytea || convert_to(s.source_id::text, 'UTF8') || '\x00'::bytea
        ORDER BY t.tgrelid::bigint <> s.relation, t.oid
        LIMIT 1
    ) t ON true
    WHERE $1 IS NULL OR s.knowledge_base_id = $1
),
above AS (
    SELECT a.source_id, a.relation FROM attached a
    UNION SELECT t.source_id, i.inhparent FROM above t JOIN pg_inherits i ON i.inhrelid = t.relation
),
below AS (
    SELECT a.source_id, a.relation FROM attached a
    UNION SELECT t.source_id, i.inhrelid FROM below t JOIN pg_inherits i ON i.inhparent = t.relation
),
secured AS (
    SELECT t.source_id, t.relation
    FROM (SELECT * FROM above UNION SELECT * FROM below) t
    JOIN pg_class r ON r.oid = t.relation AND r.relrowsecurity
)
