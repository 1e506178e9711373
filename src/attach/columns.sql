SELECT a.attname::text, a.attnum::int4, n.nspname || '.' || t.typname, a.atttypid, a.atttypmod
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
