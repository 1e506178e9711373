-- The columns of a table or view, whether each is an ordinary column, not a system column, and its type.
SELECT attname::text, attnum > 0, atttypid
FROM pg_attribute
WHERE attrelid = $1::regclass AND NOT attisdropped
ORDER BY attnum
