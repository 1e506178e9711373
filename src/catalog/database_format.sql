SELECT kb_rag.format()
