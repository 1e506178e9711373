SELECT extversion FROM pg_extension WHERE oid = $1
