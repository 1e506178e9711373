-- In the order in which they were found, as many as the crawl may still have.
WITH room AS (
    SELECT greatest($5 - count(*), 0) AS pages FROM kb_rag.web_page WHERE source_id = $1 AND crawl = $2
)
INSERT INTO kb_rag.web_page AS p (source_id, url, depth, crawl)
SELECT $1, u.url, $3, $2
FROM unnest($4) WITH ORDINALITY u (url, place)
WHERE NOT EXISTS (SELECT FROM kb_rag.web_page k WHERE k.source_id = $1 AND k.url = u.url AND k.crawl = $2)
GROUP BY u.url
ORDER BY min(u.place)
LIMIT (SELECT pages FROM room)
ON CONFLICT ON CONSTRAINT web_page_url_key DO UPDATE SET crawl = excluded.crawl, depth = excluded.depth, status = 'pending', error = NULL
