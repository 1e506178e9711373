SELECT target, extract(epoch FROM until - clock_timestamp())::float8, reason
FROM kb_rag.pause WHERE until > clock_timestamp() ORDER BY target
