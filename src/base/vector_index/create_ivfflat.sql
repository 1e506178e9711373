CREATE INDEX {index} ON {schema}.{table} USING ivfflat (embedding {vector}.{operator_class}) WITH (lists = {lists})
