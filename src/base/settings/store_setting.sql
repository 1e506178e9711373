INSERT INTO {schema}.setting AS s (name, value) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE s.value IS DISTINCT FROM excluded.value
