SELECT {keys_of_o} FROM old_row o WHERE NOT EXISTS (SELECT FROM new_row n WHERE {same_key} AND {same_values})
UNION ALL
SELECT {keys_of_n} FROM new_row n WHERE NOT EXISTS (SELECT FROM old_row o WHERE {same_key} AND {same_values})
