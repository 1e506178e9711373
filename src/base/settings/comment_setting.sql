COMMENT ON TABLE {schema}.setting IS {comment}
