SELECT {keys_of_n} FROM new_row n
