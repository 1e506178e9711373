INSERT INTO {schema}.source (kind, location, title, options)
VALUES ('directory', $1, $2, pg_catalog.jsonb_build_object('host', $3::text, 'named', $4::boolean))
RETURNING id
