UPDATE {schema}.chunk c
SET keyword_number = DEFAULT, text_config = t.name, tsv = t.tsv, length = kb_rag.word_count(t.tsv)
FROM (
    SELECT u.id, {analyzer} AS name, {tsv} AS tsv
    FROM {schema}.chunk u
    JOIN {schema}.document d ON d.id = u.document_id
    CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
    WHERE {condition}
    OFFSET 0
) t
WHERE c.id = t.id AND (c.text_config, c.tsv) IS DISTINCT FROM (t.name, t.tsv)
