INSERT INTO kb_rag.base_statistics (knowledge_base_id, documents, pending, indexed, failed, chunks, embedded,
    table_bytes, index_bytes, unmerged_segments, next_embedded, next_given_up, activity, seconds, counted_at{columns})
SELECT k.id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, clock_timestamp(){values}
FROM kb_rag.knowledge_base k WHERE k.id = $1
ON CONFLICT (knowledge_base_id) DO UPDATE SET documents = excluded.documents, pending = excluded.pending,
    indexed = excluded.indexed, failed = excluded.failed, chunks = excluded.chunks,
    embedded = excluded.embedded, table_bytes = excluded.table_bytes, index_bytes = excluded.index_bytes,
    unmerged_segments = excluded.unmerged_segments, next_embedded = excluded.next_embedded,
    next_given_up = excluded.next_given_up, activity = excluded.activity,
    seconds = excluded.seconds, counted_at = excluded.counted_at{assignments}
