UPDATE kb_rag.web_page
SET document_id = coalesce($2, document_id), document_key = $3,
    parted_from = CASE WHEN coalesce($2, document_id) IS DISTINCT FROM document_id THEN $4 ELSE parted_from END
WHERE id = $1
