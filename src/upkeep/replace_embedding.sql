DROP TABLE {schema}.embedding RESTRICT;
ALTER TABLE {schema}.{table} RENAME TO embedding;
ALTER INDEX {schema}.{table}_pkey RENAME TO embedding_pkey
