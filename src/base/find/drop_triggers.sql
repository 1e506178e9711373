-- Statements that drop triggers of a base, at most $2.
SELECT format('DROP TRIGGER %I ON %s;', t.tgname, format('%I.%I', n.nspname, c.relname))
FROM pg_catalog.pg_trigger t
JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND substr(t.tgargs, 1, 37) = convert_to($1, 'UTF8') || '\x00'::bytea
ORDER BY n.nspname, c.relname, t.tgname
LIMIT $2
