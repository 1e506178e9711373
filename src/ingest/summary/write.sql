WITH target AS (
    SELECT d.id, d.abstract IS NULL OR coalesce(sha256(convert_to(d.abstract, 'UTF8')) = s.abstract_hash, false) AS is_abstract,
        d.overview IS NULL OR coalesce(sha256(convert_to(d.overview, 'UTF8')) = s.overview_hash, false) AS is_overview
    FROM {schema}.document d
    LEFT JOIN {schema}.summary s ON s.document_id = d.id
    WHERE d.id = $1 AND d.content_hash = $2
), written AS (
    UPDATE {schema}.document d
    SET abstract = CASE WHEN t.is_abstract THEN $3 ELSE d.abstract END, overview = CASE WHEN t.is_overview THEN $4 ELSE d.overview END
    FROM target t
    WHERE d.id = t.id AND (t.is_abstract OR t.is_overview)
    RETURNING d.id, t.is_abstract, t.is_overview
)
INSERT INTO {schema}.summary AS s (document_id, model, content_hash, abstract_hash, overview_hash)
SELECT w.id, $5, $2, CASE WHEN w.is_abstract THEN sha256(convert_to($3, 'UTF8')) END,
    CASE WHEN w.is_overview THEN sha256(convert_to($4, 'UTF8')) END
FROM written w
ON CONFLICT (document_id) DO UPDATE
SET model = excluded.model, content_hash = excluded.content_hash, abstract_hash = excluded.abstract_hash,
    overview_hash = excluded.overview_hash, made_at = now()
