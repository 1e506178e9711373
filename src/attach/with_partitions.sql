-- The table $1 and its partitions: each after the one that it is a partition of, those of one level by their numbers, as
-- PostgreSQL locks them. Not by pg_partition_tree, which locks them too.
WITH RECURSIVE tree (relation, level) AS (
    SELECT $1, 0
    UNION ALL
    SELECT i.inhrelid, t.level + 1 FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation
)
SELECT relation FROM tree ORDER BY level, relation
