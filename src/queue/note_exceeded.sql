UPDATE kb_rag.pause SET exceeded = true WHERE target = $1
