SELECT {key_of_t} FROM {table} t WHERE {after} ORDER BY {order} LIMIT {limit}
