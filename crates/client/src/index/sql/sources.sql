-- Directories of this path or title.
SELECT id, location, title, options ->> 'host' AS host, options @> '{"named": true}' AS named
FROM {schema}.source
WHERE kind = 'directory' AND (location = $1 OR title = $2)
ORDER BY id
