UPDATE {schema}.source SET location = $2
WHERE id = (SELECT id FROM {schema}.source WHERE id = $1 AND location <> $2 FOR NO KEY UPDATE SKIP LOCKED)
