SELECT s.status, s.error_message, CASE WHEN NOT $2 THEN (SELECT count(*) FROM {schema}.document d WHERE d.source_id = s.id) END, s.last_synced_at
FROM {schema}.source s
WHERE s.id = $1
