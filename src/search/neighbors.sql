-- Where each chunk stands in its document, and how far its neighbors on the same page reach.
SELECT c.id, c.document_id, c.start_char, c.end_char, n.start_char, n.end_char
FROM {schema}.chunk c
CROSS JOIN LATERAL (
    SELECT min(o.start_char) AS start_char, max(o.end_char) AS end_char
    FROM {schema}.chunk o
    WHERE o.document_id = c.document_id AND o.ordinal BETWEEN c.ordinal - $2 AND c.ordinal + $2
        AND o.page IS NOT DISTINCT FROM c.page
) n
WHERE c.id = ANY ($1)
