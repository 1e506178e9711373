-- The columns of a table or view, and whether each is one of its own, as opposed to one of the system's.
SELECT attname::text, attnum > 0
FROM pg_attribute
WHERE attrelid = $1::regclass AND NOT attisdropped
ORDER BY attnum
