DROP TABLE kb_rag.{table}
