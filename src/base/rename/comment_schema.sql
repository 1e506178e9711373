COMMENT ON SCHEMA {schema} IS {comment}
