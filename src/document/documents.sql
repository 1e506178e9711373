-- Of the text the first $2 characters, which takes no more than the beginning of a long one; all of it where $2 is null. An
-- owner may have dropped the NOT NULL constraints, and the columns that are given by name.
SELECT d.id, d.title, d.source_key, {source_type}, {mime_type}, {language}, d.status, {error_message}, {metadata},
    {created_at}, {updated_at},
    CASE WHEN $3 THEN (SELECT count(*) FROM {schema}.chunk c WHERE c.document_id = d.id) END,
    {abstract}, {overview},
    CASE WHEN $2 IS NULL THEN coalesce(d.content, '') ELSE coalesce(substr(d.content, 1, $2), '') END
FROM {schema}.document d
WHERE d.id = ANY ($1)
