SELECT s.status, s.error_message, CASE WHEN NOT $2 THEN (SELECT count(*) FROM {schema}.document d WHERE d.source_id = s.id) END, s.last_synced_at,
    -- The hash of a chunk whose vector was made for an earlier text is longer.
    CASE WHEN $3 AND NOT $2 THEN (
        SELECT count(*) FROM {schema}.document d JOIN {schema}.chunk c ON c.document_id = d.id
        WHERE d.source_id = s.id AND d.imported AND length(c.content_hash) > 16
    ) END
FROM {schema}.source s
WHERE s.id = $1
