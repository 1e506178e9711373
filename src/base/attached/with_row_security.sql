-- The names of those with row security among the table $1, the tables it is a partition of, and its partitions.
WITH RECURSIVE above (relation) AS (
    SELECT $1
    UNION SELECT i.inhparent FROM above t JOIN pg_inherits i ON i.inhrelid = t.relation
),
below (relation) AS (
    SELECT $1
    UNION SELECT i.inhrelid FROM below t JOIN pg_inherits i ON i.inhparent = t.relation
)
SELECT format('%I.%I', n.nspname, r.relname)
FROM (SELECT * FROM above UNION SELECT * FROM below) t
JOIN pg_class r ON r.oid = t.relation AND r.relrowsecurity
JOIN pg_namespace n ON n.oid = r.relnamespace
ORDER BY r.oid <> $1, 1
