SELECT {keys_of_o} FROM old_row o
