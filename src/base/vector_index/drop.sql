DROP INDEX {schema}.{index}
