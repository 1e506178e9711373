-- The function $1, but for its name, its privileges and what a place in a text is part of.
SELECT (to_jsonb(p) - '{oid,proname,pronamespace,proacl,proargdefaults}'::text[])::text || pg_get_function_arguments(p.oid)
FROM pg_proc p
WHERE p.oid = $1
