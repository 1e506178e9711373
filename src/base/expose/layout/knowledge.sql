-- The URLs of kb_add_url, from the table that has them for information: its options may be anything that a writer of the base wrote.
-- Where row security hides documents, only those URLs are there that have one that the reader sees.
CREATE {or_replace} VIEW {view} WITH (security_invoker = true) AS
SELECT s.id,
    CASE WHEN s.options->>'agent_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN (s.options->>'agent_id')::uuid END AS agent_id,
    s.title, s.location AS url, coalesce(s.options->>'content_type', 'webpage') AS content_type, s.status, s.error_message,
    NULL::text AS embedding_id,
    (SELECT count(*)::int FROM {schema}.document d JOIN {schema}.chunk c ON c.document_id = d.id WHERE d.source_id = s.id) AS chunk_count,
    s.created_at, s.indexed_at, coalesce(s.options->>'scrape_method', 'basic') AS scrape_method,
    CASE WHEN s.options->>'crawl_depth' ~ '^[0-9]{1,4}$' THEN (s.options->>'crawl_depth')::int ELSE 1 END AS crawl_depth,
    ARRAY(
        SELECT jsonb_array_elements_text(CASE jsonb_typeof(s.options->'exclude_patterns') WHEN 'array' THEN s.options->'exclude_patterns' END)
    ) AS exclude_patterns,
    s.auto_sync, ceil(extract(epoch FROM s.sync_interval) / 3600)::int AS sync_interval_hours, s.last_synced_at
FROM {schema}.source s
WHERE s.kind = 'url' AND (
    NOT row_security_active({document}::regclass) OR EXISTS (SELECT FROM {schema}.document d WHERE d.source_id = s.id)
)
