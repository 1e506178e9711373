DROP TABLE {schema}.embedding RESTRICT
