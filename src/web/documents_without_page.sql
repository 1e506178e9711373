-- Users may add files to a source: those have other types, or no URL.
SELECT id, source_key FROM {schema}.document
WHERE source_id = $1 AND source_type = ANY ($2) AND file_hash IS NOT NULL AND source_key ~ '^https?://' AND id <> ALL ($3)
