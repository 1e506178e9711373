SELECT max(t.oid) FILTER (WHERE t.typname = 'vector'), max(t.oid) FILTER (WHERE t.typname = 'halfvec')
FROM pg_depend d
JOIN pg_type t ON t.oid = d.objid AND t.typname IN ('vector', 'halfvec')
WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = $1 AND d.deptype = 'e' AND d.classid = 'pg_type'::regclass
HAVING count(*) = 2
