-- Those that lead to the documents $2, and copies of the page under the URL $4 that were read before it in the crawl $3.
SELECT * FROM kb_rag.web_page
WHERE source_id = $1 AND (document_id = ANY ($2) OR document_id IS NULL AND status = 'skipped' AND crawl = $3 AND document_key = $4)
