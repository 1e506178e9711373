UPDATE kb_rag.web_page SET etag = NULL, last_modified = NULL
WHERE source_id = $1 AND (etag IS NOT NULL OR last_modified IS NOT NULL)
