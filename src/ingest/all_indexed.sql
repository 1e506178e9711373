UPDATE {schema}.document d
SET status = 'indexed', error_message = NULL, indexed_at = now()
WHERE d.status <> 'indexed' AND {complete}
