-- $1: the documents that wait for a worker, or could not be embedded.
SELECT id FROM {schema}.document
WHERE status <> 'indexed' AND id <> ALL ($1) OR content_hash IS DISTINCT FROM sha256(convert_to(content, 'UTF8'))
