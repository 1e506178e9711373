-- The relation of a name as it is written, or else in lower case, by the caller's search_path.
SELECT coalesce(pg_catalog.to_regclass($1), pg_catalog.to_regclass($2))::pg_catalog.oid
