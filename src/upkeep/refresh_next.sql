-- Settings or the language of a document may have changed since the chunks were cut.
UPDATE {schema}.{chunks} c
SET text_config = t.name, tsv = t.tsv, length = kb_rag.word_count(t.tsv)
FROM (
    SELECT u.id, {analyzer} AS name, {tsv} AS tsv
    FROM {schema}.{chunks} u
    JOIN {schema}.document d ON d.id = u.document_id
    CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
    WHERE u.text_config <> {analyzer}
    OFFSET 0
) t
WHERE c.id = t.id
