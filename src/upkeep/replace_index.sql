DROP INDEX IF EXISTS {schema}.{index};
ALTER INDEX {schema}.{index}_new RENAME TO {index}
