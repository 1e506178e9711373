-- Some documents that were written while library and SQL had different formats, locked.
SELECT id FROM {schema}.document WHERE content_hash IS NULL ORDER BY id LIMIT 64 FOR NO KEY UPDATE SKIP LOCKED
