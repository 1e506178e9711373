-- Both transition tables have the rows in the order in which they were written.
SELECT o.key, n.key
FROM (SELECT row_number() OVER () AS place, {key_of_r} AS key FROM old_row r) o
JOIN (SELECT row_number() OVER () AS place, {key_of_r} AS key FROM new_row r) n USING (place)
WHERE o.key <> n.key
ORDER BY o.key COLLATE "C"
