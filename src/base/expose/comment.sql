COMMENT ON {what} IS {comment}
