-- Jobs that were given up and hold a change up. Until a minute after held_up_at it is not asked again whether they do.
UPDATE kb_rag.job SET held_up_at = clock_timestamp()
WHERE knowledge_base_id = $1 AND kind = 'change' AND failed AND target = ANY ($2)
