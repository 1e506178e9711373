CREATE INDEX {index} ON {schema}.chunk USING gin (({keyword_keys}))
