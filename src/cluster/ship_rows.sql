SELECT f.* FROM kb_rag.handle h, LATERAL {function}({arguments}) f WHERE h.key IN ({keys})
