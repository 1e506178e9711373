ALTER TABLE {schema}.document ADD COLUMN file_hash bytea, ADD COLUMN file_bytes bigint;
COMMENT ON COLUMN {schema}.document.file_hash IS 'SHA-256 of the file that content was read from; NULL without one, or after content changed; kept by a trigger';
COMMENT ON COLUMN {schema}.document.file_bytes IS 'size of that file, in bytes'
