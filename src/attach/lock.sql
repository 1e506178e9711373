-- Whether the source $1 is locked here: false if another session has it locked, no row if it does not exist.
WITH locked AS MATERIALIZED (
    SELECT source_id FROM kb_rag.attached_table WHERE source_id = $1 FOR NO KEY UPDATE SKIP LOCKED
)
SELECT EXISTS (SELECT FROM locked) FROM kb_rag.attached_table WHERE source_id = $1
