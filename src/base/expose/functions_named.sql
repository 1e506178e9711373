-- The functions, procedures and aggregates called $2 in schema $1, whatever their arguments.
SELECT p.oid
FROM pg_proc p
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = $1::name AND p.proname = $2::name
ORDER BY p.oid
