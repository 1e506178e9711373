DROP INDEX {schema}.document_source_key;
CREATE UNIQUE INDEX document_source_key ON {schema}.document (source_id, source_type, source_key)
    NULLS NOT DISTINCT WHERE source_key IS NOT NULL;
-- Its index goes with it.
ALTER TABLE {schema}.document DROP COLUMN upsert_key
