-- 42703 where a column is missing.
SELECT d.id, d.source_id, d.source_type, d.source_key, d.title, d.content, d.mime_type, d.language, d.abstract, d.overview,
    d.metadata, d.content_hash, d.file_hash, d.file_bytes, d.imported, d.status, d.error_message, d.created_at, d.updated_at, d.indexed_at
FROM {schema}.document d
LIMIT 0;
SELECT c.id, c.document_id, c.keyword_number, c.length, c.tsv, c.text_config, c.ordinal, c.start_char, c.end_char, c.page, c.token_count,
    c.source_type, c.heading, c.content, c.metadata, c.content_hash
FROM {schema}.chunk c
LIMIT 0;
SELECT s.id, s.kind, s.location, s.created_at, s.indexed_at FROM {schema}.source s LIMIT 0
