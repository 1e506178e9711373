SELECT p.name, p.builtin, p.kind, p.base_url, p.api_key, p.headers, extract(epoch FROM p.timeout)::float8 AS timeout,
    p.batch_items, p.batch_tokens, p.batch_bytes, p.price_per_million, p.owner,
    ARRAY(SELECT g.role FROM kb_rag.provider_grant g WHERE g.provider = p.name ORDER BY g.role) AS granted
FROM kb_rag.provider p
WHERE {condition}
ORDER BY p.name, p.builtin
