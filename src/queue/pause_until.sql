UPDATE kb_rag.pause SET until = greatest(until, clock_timestamp() + make_interval(secs => $2)) WHERE target = $1
