UPDATE kb_rag.web_page
SET status = $2, error = $3, etag = CASE WHEN $4 THEN $5 ELSE etag END, last_modified = CASE WHEN $4 THEN $6 ELSE last_modified END,
    document_id = coalesce($7, document_id), links = coalesce($8, links)
WHERE id = $1
