SELECT p.process FROM kb_rag.handle h, LATERAL pg_catalog.pg_backend_pid() p (process) WHERE h.key = {key}
