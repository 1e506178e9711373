UPDATE kb_rag.web_source SET scope = $2 WHERE source_id = $1
