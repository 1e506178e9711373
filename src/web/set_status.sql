UPDATE {schema}.source
SET status = $2, error_message = $3, last_synced_at = CASE WHEN $4 THEN now() ELSE last_synced_at END,
    indexed_at = CASE WHEN $4 THEN now() ELSE indexed_at END
WHERE id = $1
