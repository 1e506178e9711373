ALTER INDEX {schema}.{index} RENAME TO {name}
