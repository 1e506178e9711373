ALTER TABLE {schema}.corpus RENAME COLUMN words TO length;
COMMENT ON COLUMN {schema}.corpus.length IS 'the sum of their lengths';
COMMENT ON TABLE {schema}.corpus IS 'number and length of the chunks by text search configuration: the sums of all rows; every statement adds some, and now and then they are merged'
