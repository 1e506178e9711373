WITH RECURSIVE {tree},
now AS (
    SELECT a.source_id, EXISTS (SELECT FROM secured s WHERE s.source_id = a.source_id) AS is_secured
    FROM attached a
    WHERE a.relation IS NOT NULL
),
changed AS (
    SELECT a.source_id, n.is_secured
    FROM kb_rag.attached_table a
    JOIN now n USING (source_id)
    WHERE a.row_secured <> n.is_secured
    FOR NO KEY UPDATE OF a SKIP LOCKED
)
UPDATE kb_rag.attached_table a SET row_secured = c.is_secured FROM changed c WHERE a.source_id = c.source_id
