-- Documents with the same text but other metadata: their chunks are updated without looking at the text.
UPDATE {schema}.chunk u
SET source_type = d.source_type, metadata = {metadata}
FROM new_document n
JOIN old_document o ON o.id = n.id
JOIN {schema}.document d ON d.id = n.id
WHERE u.document_id = d.id
    AND (o.language, o.source_type, o.metadata) IS DISTINCT FROM (n.language, n.source_type, n.metadata)
    AND (u.source_type, u.metadata) IS DISTINCT FROM (d.source_type, {metadata});
-- If the language now has another text search configuration, the lexemes are rebuilt; the vectors stay.
UPDATE {schema}.chunk c
SET keyword_number = DEFAULT, text_config = t.name, tsv = t.tsv, length = kb_rag.word_count(t.tsv)
FROM (
    SELECT u.id, {analyzer} AS name, {tsv} AS tsv
    FROM new_document n
    JOIN old_document o ON o.id = n.id
    JOIN {schema}.document d ON d.id = n.id
    JOIN {schema}.chunk u ON u.document_id = d.id
    CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
    WHERE o.language IS DISTINCT FROM n.language AND u.text_config <> {analyzer}
    OFFSET 0
) t
WHERE c.id = t.id
