SELECT id FROM {schema}.source WHERE kind = 'table' AND location = $1 AND status = 'detached'
