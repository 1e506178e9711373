-- A count that took long is not repeated soon.
SELECT t.id, a.activity,
    CASE WHEN s.activity IS DISTINCT FROM a.activity THEN
        coalesce(extract(epoch FROM s.counted_at - clock_timestamp())::float8 + greatest(2, 20 * s.seconds), 0)
    END,
    s.counted_at, s.next_embedded, s.next_given_up,
    s.documents, s.pending, s.indexed, s.failed, s.chunks, s.embedded, s.table_bytes, s.index_bytes, s.unmerged_segments, {outdated}
FROM unnest($1, $2, $3, $4) t (id, document, chunk, embedding)
CROSS JOIN LATERAL (
    -- TRUNCATE gives a table another file.
    SELECT coalesce(string_agg(concat_ws(' ', c.oid, c.relfilenode, pg_stat_get_tuples_inserted(c.oid),
        pg_stat_get_tuples_updated(c.oid), pg_stat_get_tuples_deleted(c.oid)), ', ' ORDER BY c.oid), '') AS activity
    FROM pg_class c
    WHERE c.oid IN (t.document, t.chunk, t.embedding)
) a
LEFT JOIN kb_rag.base_statistics s ON s.knowledge_base_id = t.id
