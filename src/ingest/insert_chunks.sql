INSERT INTO {schema}.chunk (
    id, document_id, ordinal, start_char, end_char, heading, content, token_count, content_hash,
    source_type, metadata, tsv
)
SELECT u.id, d.id, u.ordinal, u.start_char, u.end_char, u.heading, u.content, u.token_count, u.content_hash,
    d.source_type,
    {metadata},
    pg_catalog.to_tsvector($10::regconfig, pg_catalog.concat_ws(
        E'\n', pg_catalog.left(d.title, {prefix}), pg_catalog.left(u.heading, {prefix}), u.content))
FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
    AS u (id, document_id, ordinal, start_char, end_char, heading, content, token_count, content_hash)
JOIN {schema}.document d ON d.id = u.document_id
