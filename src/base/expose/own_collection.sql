-- The view collection in the schema $1, if it belongs to $2 and has the comment $3.
SELECT oid FROM pg_class
WHERE relnamespace = $1 AND relname = 'collection' AND relkind = 'v' AND relowner = $2 AND obj_description(oid, 'pg_class') = $3
