ALTER TABLE {schema}.document ADD COLUMN imported boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN {schema}.document.imported IS 'whether kb_import gave its chunks and vectors, which stay until title or content change; kept by a trigger'
