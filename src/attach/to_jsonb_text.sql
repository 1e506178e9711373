SELECT to_jsonb($1::text)
