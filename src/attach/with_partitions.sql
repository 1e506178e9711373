-- The table $1 and its partitions, each after its parent and by OID within a level, as PostgreSQL locks them. Not
-- pg_partition_tree: it locks them.
WITH RECURSIVE tree (relation, level) AS (
    SELECT $1, 0
    UNION ALL
    SELECT i.inhrelid, t.level + 1 FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation
)
SELECT relation FROM tree ORDER BY level, relation
