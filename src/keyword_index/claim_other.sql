-- The largest: its row is short, since its lists are in keyword_run.
SELECT id, configs::text FROM {schema}.keyword_segment WHERE id <> ALL ($1) ORDER BY chunks DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
