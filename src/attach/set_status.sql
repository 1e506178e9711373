-- Not written if nothing changes, or if another transaction is writing the row.
UPDATE {schema}.source
SET status = $2, error_message = $3, last_synced_at = CASE WHEN $4 THEN now() ELSE last_synced_at END
WHERE id = (
    SELECT id FROM {schema}.source
    WHERE id = $1 AND ($4 OR (status, error_message) IS DISTINCT FROM ($2, $3))
    FOR NO KEY UPDATE SKIP LOCKED
)
