-- Oldest first: where two segments have the same chunk, which must not happen, the later one counts.
SELECT id, sign, configs::text, data FROM {schema}.keyword_segment WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED
