ALTER INDEX {schema}.{index}_new RENAME TO {index}
