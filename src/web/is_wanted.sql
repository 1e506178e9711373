SELECT EXISTS (SELECT FROM {schema}.source WHERE id = $1)
