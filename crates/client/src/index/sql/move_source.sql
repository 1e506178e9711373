-- Where a source was found this time.
UPDATE {schema}.source
SET location = $2, options = options || pg_catalog.jsonb_build_object('host', $3::text, 'named', $4::boolean)
WHERE id = $1
    AND (location, options) IS DISTINCT FROM
        ($2, options || pg_catalog.jsonb_build_object('host', $3::text, 'named', $4::boolean))
