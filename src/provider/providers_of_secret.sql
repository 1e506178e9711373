SELECT DISTINCT p.name FROM kb_rag.provider p
WHERE p.api_key = 'secret:' || $1
    OR EXISTS (
        SELECT FROM jsonb_each_text(CASE jsonb_typeof(p.headers) WHEN 'object' THEN p.headers END) h
        WHERE 'secret:' || $1 = ANY (string_to_array(h.value, ' '))
    )
