INSERT INTO {schema}.evaluation (name, run) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
