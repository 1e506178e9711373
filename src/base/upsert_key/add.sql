-- Two unique indexes would let concurrent upserts of one new key fail on the index that their ON CONFLICT does not name.
ALTER TABLE {schema}.document ADD COLUMN upsert_key text GENERATED ALWAYS AS (
    coalesce(source_id::text, '') || ':' || length(source_type)::text || ':' || source_type || ':' || source_key
) STORED;
COMMENT ON COLUMN {schema}.document.upsert_key IS 'source_id, length of source_type, source_type and source_key, joined by colons; NULL without a source_key: the unique key that ON CONFLICT (upsert_key) names';
CREATE UNIQUE INDEX document_upsert_key ON {schema}.document (upsert_key);
DROP INDEX {schema}.document_source_key;
CREATE INDEX document_source_key ON {schema}.document (source_id, source_type, source_key) WHERE source_key IS NOT NULL
