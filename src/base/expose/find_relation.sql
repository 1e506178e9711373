SELECT to_regclass($1)::oid
