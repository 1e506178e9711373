-- Another text in chunks that keep their vectors.
UPDATE {schema}.chunk c
SET ordinal = t.ordinal, start_char = t.start_char, end_char = t.end_char, page = t.page, heading = t.heading, content = t.content,
    token_count = t.token_count, content_hash = t.content_hash, source_type = t.source_type, metadata = t.metadata,
    keyword_number = DEFAULT, text_config = t.text_config, tsv = t.tsv, length = kb_rag.word_count(t.tsv)
FROM (
    SELECT u.id, u.ordinal, u.start_char, u.end_char, u.page, u.heading, u.content, u.token_count, u.content_hash, d.source_type,
        {metadata} AS metadata, {analyzer} AS text_config, {tsv} AS tsv
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        AS u (id, document_id, ordinal, start_char, end_char, page, heading, content, token_count, content_hash, context)
    JOIN {schema}.document d ON d.id = u.document_id
    CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
    OFFSET 0
) t
WHERE c.id = t.id
