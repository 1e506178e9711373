SELECT options ? 'mime_type', options ? 'language', options ? 'embedding' FROM {schema}.source WHERE id = $1 AND options IS NOT NULL
