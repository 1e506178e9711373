DROP TABLE IF EXISTS {schema}.corpus, {schema}.term RESTRICT
