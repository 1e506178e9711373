INSERT INTO {schema}.source (id, kind, location, options, status) VALUES ($1, 'table', $2, $3::jsonb, 'pending')
ON CONFLICT (id) DO UPDATE
SET location = excluded.location, options = excluded.options, status = 'pending', error_message = NULL
