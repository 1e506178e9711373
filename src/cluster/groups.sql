SELECT DISTINCT groupid FROM kb_rag.placement ORDER BY groupid
