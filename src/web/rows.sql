SELECT id, kind, location, title, status, error_message, auto_sync, sync_interval, last_synced_at, {times}
FROM {schema}.source
ORDER BY id
