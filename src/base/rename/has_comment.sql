-- Whether schema $1 has the comment $2 and the current role may change it.
SELECT coalesce(obj_description(n.oid, 'pg_namespace') = $2, false) AND pg_has_role(n.nspowner, 'USAGE')
FROM pg_namespace n WHERE n.oid = $1
