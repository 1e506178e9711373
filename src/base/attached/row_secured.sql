WITH RECURSIVE {tree}
SELECT a.source_id, a.location, s.relation
FROM attached a
JOIN secured s USING (source_id)
WHERE a.row_security = 'refuse'
UNION ALL
SELECT a.source_id, a.location, NULL
FROM attached a
WHERE a.row_security = 'refuse' AND a.row_secured AND a.relation IS NULL
ORDER BY 2, 3
