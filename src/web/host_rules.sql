SELECT robots_status, robots FROM kb_rag.web_host
WHERE origin = $1 AND robots_until > clock_timestamp() AND robots_status IS NOT NULL AND robots IS NOT NULL
