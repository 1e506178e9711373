-- Documents with another content, and those of which a user removed a text: it is to be made again.
SELECT d.id
FROM new_document n
JOIN {schema}.document d ON d.id = n.id
LEFT JOIN old_document o ON o.id = n.id
WHERE (d.abstract IS NULL OR d.overview IS NULL) AND d.content ~ '\S'
    AND (o.id IS NULL OR o.content_hash IS DISTINCT FROM n.content_hash
        OR n.abstract IS NULL AND o.abstract IS NOT NULL OR n.overview IS NULL AND o.overview IS NOT NULL)
