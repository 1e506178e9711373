SELECT text_config FROM {schema}.chunk ORDER BY id DESC LIMIT 1
