-- The record of a table that was renamed or restored. If another session has it locked, this is left to the next call.
UPDATE kb_rag.attached_table SET location = $2, relation = $3, names = $4, numbers = $5
WHERE source_id = (SELECT source_id FROM kb_rag.attached_table WHERE source_id = $1 FOR NO KEY UPDATE SKIP LOCKED)
    AND (location, relation, names, numbers) IS DISTINCT FROM ($2, $3, $4, $5)
