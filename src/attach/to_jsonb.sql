SELECT to_jsonb($1)
