CREATE INDEX {index} ON {schema}.chunk USING gin (metadata jsonb_path_ops)
