-- An owner may have dropped the NOT NULL constraints, and the columns that are given by name.
SELECT c.id, c.document_id, d.title, d.source_key, coalesce(c.content, '') AS content, coalesce(c.metadata, '{}') AS metadata,
    {source_type}, {heading}, {page}, {ordinal}, {start_char}, {end_char}, {context}, {text_config}
FROM {schema}.chunk c
JOIN {schema}.document d ON d.id = c.document_id
WHERE c.id = ANY ($1)
