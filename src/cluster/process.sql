SELECT p.process FROM kb_rag.handle h, LATERAL kb_rag.vouched_process() p (process) WHERE h.key = {key}
