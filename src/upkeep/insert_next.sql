INSERT INTO {schema}.chunk (
    id, document_id, ordinal, start_char, end_char, page, heading, content, token_count, content_hash,
    source_type, metadata, text_config, tsv, length{context}
)
SELECT id, document_id, ordinal, start_char, end_char, page, heading, content, token_count, content_hash,
    source_type, metadata, text_config, tsv, length{context}
FROM {schema}.{chunks} n
WHERE n.document_id = ANY ($1) AND NOT EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = n.id)
ORDER BY document_id, ordinal
