DROP TABLE {schema}.{chunks} RESTRICT;
DELETE FROM {schema}.embedding e WHERE NOT EXISTS (SELECT FROM {schema}.chunk c WHERE c.id = e.chunk_id);
ALTER TABLE {schema}.embedding ADD CONSTRAINT embedding_chunk_id_fkey FOREIGN KEY (chunk_id) REFERENCES {schema}.chunk ON DELETE CASCADE
