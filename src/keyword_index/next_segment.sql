SELECT nextval(pg_get_serial_sequence($1, 'id'))
