SELECT EXISTS (
    SELECT FROM unnest($3) u (url)
    WHERE NOT EXISTS (SELECT FROM kb_rag.web_page p WHERE p.source_id = $1 AND p.url = u.url AND p.crawl = $2)
)
