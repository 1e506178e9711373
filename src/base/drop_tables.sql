-- In the order in which writers and searches lock: document first.
LOCK TABLE {schema}.document IN ACCESS EXCLUSIVE MODE;
DROP TABLE IF EXISTS {schema}.document, {schema}.chunk, {schema}.embedding{next}, {schema}.corpus, {schema}.term, {schema}.setting, {schema}.source RESTRICT;
DROP SCHEMA {schema} RESTRICT
