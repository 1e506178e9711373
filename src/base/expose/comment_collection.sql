COMMENT ON VIEW {schema}.collection IS {comment};
COMMENT ON COLUMN {schema}.collection.id IS 'the chunk';
COMMENT ON COLUMN {schema}.collection.vec IS 'its vector, of length 1';
COMMENT ON COLUMN {schema}.collection.metadata IS 'its metadata with chunk_index, document_id and, as content, its text'
