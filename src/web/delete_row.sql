DELETE FROM {schema}.source WHERE id = $1
