SELECT r.key, r.keys, sha256(convert_to(json_build_array(r.content, r.title, r.metadata)::text, 'UTF8'))
FROM (SELECT {key_of_t}, ARRAY[{key_texts_of_t}], {values_of_t} FROM {table} t) r (key, keys, content, title, metadata, mime_type, language, more, bytes, vector)
WHERE r.content <> ''
ORDER BY r.key COLLATE "C"
