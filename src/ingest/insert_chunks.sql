INSERT INTO {schema}.{chunks} (
    id, document_id, ordinal, start_char, end_char, page, heading, content, token_count, content_hash,
    source_type, metadata, text_config, tsv, length{context_column}
)
SELECT u.id, d.id, u.ordinal, u.start_char, u.end_char, u.page, u.heading, u.content, u.token_count, u.content_hash,
    d.source_type,
    {metadata},
    {analyzer}, t.tsv, kb_rag.word_count(t.tsv){context_value}
FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    AS u (id, document_id, ordinal, start_char, end_char, page, heading, content, token_count, content_hash, context)
-- OFFSET 0 keeps a plan that was made while the table was small from reading all of it later.
CROSS JOIN LATERAL (
    SELECT o.id, o.source_id, o.source_key, o.source_type, o.title, o.language, o.metadata FROM {schema}.document o WHERE o.id = u.document_id OFFSET 0
) d
CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
CROSS JOIN LATERAL (SELECT {tsv} AS tsv OFFSET 0) t
