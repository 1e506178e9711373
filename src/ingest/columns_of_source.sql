-- The columns of a table or view, and whether each is an ordinary column, not a system column.
SELECT attname::text, attnum > 0
FROM pg_attribute
WHERE attrelid = $1::regclass AND NOT attisdropped
ORDER BY attnum
