SELECT {key_of_t}, {values_of_t}, ARRAY[{key_texts_of_t}]
FROM {table} t WHERE {after} ORDER BY {order} LIMIT {limit}
FOR SHARE OF t {wait}
