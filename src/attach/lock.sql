-- Whether the source $1 is locked now; false where somebody else has it, nothing where it is gone.
WITH locked AS MATERIALIZED (
    SELECT source_id FROM kb_rag.attached_table WHERE source_id = $1 FOR NO KEY UPDATE SKIP LOCKED
)
SELECT EXISTS (SELECT FROM locked) FROM kb_rag.attached_table WHERE source_id = $1
