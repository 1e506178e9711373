SELECT c.id, d.title, c.heading, {context}, c.content, c.content_hash, d.imported
FROM {schema}.document d
JOIN {schema}.chunk c ON c.document_id = d.id
WHERE d.id = $1
