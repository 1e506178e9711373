DROP INDEX {schema}.chunk_keyword
