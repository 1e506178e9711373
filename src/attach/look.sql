-- What kb_attach has to know about the relation $1.
WITH RECURSIVE tree (relation) AS (
    -- Not pg_partition_tree: it locks the tables, which are later locked in a stronger mode.
    SELECT $1
    UNION ALL
    SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation
)
SELECT r.relkind::text, r.relpersistence::text, format('%I.%I', n.nspname, r.relname), r.relowner, r.relispartition,
    n.nspname IN ('pg_catalog', 'information_schema', 'kb_rag') OR n.nspname LIKE 'pg\_toast%',
    EXISTS (
        SELECT FROM pg_class d JOIN pg_trigger t ON t.tgrelid = d.oid
        WHERE d.relnamespace = r.relnamespace AND d.relname = 'document' AND t.tgfoid = 'kb_rag.document_inserted()'::regprocedure
            AND (r.relname = ANY ('{source,document,chunk,embedding,keyword_segment,keyword_run,setting}') OR r.relname ~ '^embedding_[0-9]+$')
    ),
    r.relkind = 'r' AND NOT r.relispartition
        AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = r.oid OR i.inhrelid = r.oid),
    (SELECT array_agg(k.number::int4 ORDER BY k.place)
        FROM pg_index x
        JOIN pg_class c ON c.oid = x.indexrelid
        JOIN pg_am m ON m.oid = c.relam AND m.amname = 'btree'
        CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place)
        WHERE x.indrelid = r.oid AND x.indisprimary AND k.place <= x.indnkeyatts),
    (SELECT coalesce(sum(greatest(l.reltuples, 0)), 0)::int8 FROM tree t
        JOIN pg_class l ON l.oid = t.relation AND l.relkind = 'r')
FROM pg_class r
JOIN pg_namespace n ON n.oid = r.relnamespace
WHERE r.oid = $1
