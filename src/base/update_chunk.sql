ALTER TABLE {schema}.chunk RENAME COLUMN words TO length;
COMMENT ON COLUMN {schema}.chunk.length IS 'how many occurrences of lexemes tsv counts: the document length of BM25'
