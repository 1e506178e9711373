UPDATE kb_rag.pause SET until = greatest(until, clock_timestamp() + make_interval(secs => $5))
WHERE (provider, model, knowledge_base_id, kind) IS NOT DISTINCT FROM ($1, $2, $3, $4)
