-- Documents whose text must be chunked again: what the chunks are made from changed, or they were not indexed before. A
-- status that changed was set by document_prepare for a document that is to be chunked: left out here, it would wait for
-- a job that nobody queues. The source type matters to the text only if it is or was "code".
SELECT d.id, pg_catalog.octet_length(d.content) AS content
FROM new_document n
JOIN {schema}.document d ON d.id = n.id
LEFT JOIN old_document o ON o.id = n.id
WHERE o.id IS NULL
    OR o.status <> n.status
    OR o.status = 'failed' OR o.content_hash IS NULL
    OR (o.title, o.mime_type, o.source_key, o.content) IS DISTINCT FROM (n.title, n.mime_type, n.source_key, n.content)
    OR o.imported AND NOT n.imported
    OR (o.source_type = 'code') IS DISTINCT FROM (n.source_type = 'code')
    {recut}
