-- Some documents after $1 that were written while library and SQL had different formats, or arrived without their chunks, locked.
SELECT id FROM {schema}.document WHERE content_hash IS NULL AND id > $1 ORDER BY id LIMIT 64 FOR NO KEY UPDATE SKIP LOCKED
