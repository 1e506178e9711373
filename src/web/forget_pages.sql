-- One that the crawl has found stays, without its document: it says what became of the URL.
WITH found AS (
    UPDATE kb_rag.web_page SET document_id = NULL, etag = NULL, last_modified = NULL
    WHERE source_id = $1 AND id = ANY ($2) AND crawl = $3
)
DELETE FROM kb_rag.web_page WHERE source_id = $1 AND id = ANY ($2) AND crawl < $3
