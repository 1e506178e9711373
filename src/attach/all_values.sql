SELECT {key_of_t}, {values_of_t}, ARRAY[{key_texts_of_t}]
FROM {table} t
WHERE {has_text}
ORDER BY ({key_of_t}) COLLATE "C"
