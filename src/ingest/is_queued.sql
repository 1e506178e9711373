-- Whether new documents of the base in this schema wait for a worker.
SELECT embed = 'queued' OR embed = 'auto' AND split_part(model, '/', 1) NOT IN ('local', 'fake')
FROM kb_rag.knowledge_base WHERE schema = $1
