SELECT d.title, c.heading, {context}, c.content
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
WHERE {condition}
