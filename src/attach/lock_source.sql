SELECT id FROM {schema}.source WHERE id = $1 FOR KEY SHARE
