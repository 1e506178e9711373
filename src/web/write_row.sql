INSERT INTO {schema}.source (id, kind, location, title, options, auto_sync, sync_interval, status)
VALUES ($1, 'url', $2, $3, $4::jsonb, $5, $6, 'pending')
ON CONFLICT (id) DO UPDATE SET kind = 'url', location = excluded.location, title = excluded.title, options = excluded.options,
    auto_sync = excluded.auto_sync, sync_interval = excluded.sync_interval, status = 'pending', error_message = NULL
