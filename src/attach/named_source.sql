SELECT id FROM {schema}.source WHERE kind = 'table' AND location = $1 ORDER BY id
