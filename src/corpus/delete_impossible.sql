-- Rows that kb_rag cannot have written; their sums may be out of range.
DELETE FROM {schema}.corpus
WHERE (text_config IS NOT NULL AND abs(chunks::numeric) < 1e12 AND abs(length::numeric) < 1e15 AND changes >= 0 AND changes < 1e15) IS NOT TRUE
