DROP TABLE IF EXISTS {schema}.embedding, {schema}.chunk, {schema}.document, {schema}.source RESTRICT;
DROP SCHEMA {schema} RESTRICT
