UPDATE {schema}.source
SET last_synced_at = pg_catalog.now(), status = CASE WHEN $2::text IS NULL THEN 'indexed' ELSE 'failed' END, error_message = $2
WHERE id = $1
