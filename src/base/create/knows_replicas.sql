SELECT to_regprocedure('kb_rag.document_replicated()') IS NOT NULL
