SELECT {function}({arguments}) FROM kb_rag.handle h WHERE h.key IN ({keys})
