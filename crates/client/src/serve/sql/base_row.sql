-- A base, and whether this transaction has made it.
SELECT pg_catalog.row_to_json(l)::pg_catalog.text, CASE l.created_at WHEN pg_catalog.now() THEN 201 ELSE 200 END
FROM {extension}.kb_list() l
WHERE l.name = $1
