-- A copy that waited for its page is one that gives a document.
UPDATE kb_rag.web_page
SET document_id = $3, parted_from = NULL, error = CASE WHEN status <> 'skipped' THEN error END,
    status = CASE status WHEN 'skipped' THEN 'indexed' ELSE status END
WHERE source_id = $1 AND id = ANY ($2)
