-- Imported chunks are replaced if they are of an earlier text or incomplete.
UPDATE {schema}.document d
SET status = 'indexed', content_hash = h.hash, error_message = NULL, indexed_at = now(), imported = o.imported AND s.is_whole
FROM {schema}.document o
CROSS JOIN LATERAL (SELECT sha256(convert_to(o.content, 'UTF8')) AS hash OFFSET 0) h
CROSS JOIN LATERAL (
    SELECT o.content_hash IS NOT DISTINCT FROM h.hash AND count(c.id) > 0 AND count(c.id) = count(e.chunk_id) AS is_whole
    FROM {schema}.chunk c
    LEFT JOIN {schema}.embedding e ON e.chunk_id = c.id
    WHERE c.document_id = o.id
) s
WHERE o.id = ANY ($1) AND d.id = o.id
    AND (d.status <> 'indexed' OR d.content_hash IS DISTINCT FROM h.hash OR d.imported AND NOT s.is_whole)
