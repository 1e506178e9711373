SELECT r.key, r.keys, NULL::bytea
FROM (SELECT {key_of_t}, ARRAY[{key_texts_of_t}] FROM {table} t WHERE {has_text}) r (key, keys)
ORDER BY r.key COLLATE "C"
