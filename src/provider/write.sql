INSERT INTO kb_rag.provider (name, builtin, kind, base_url, api_key, headers, timeout, batch_items, batch_tokens, batch_bytes, price_per_million, owner)
VALUES ($1, false, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (name, builtin) DO UPDATE SET kind = excluded.kind, base_url = excluded.base_url, api_key = excluded.api_key,
    headers = excluded.headers, timeout = excluded.timeout, batch_items = excluded.batch_items, batch_tokens = excluded.batch_tokens,
    batch_bytes = excluded.batch_bytes, price_per_million = excluded.price_per_million
