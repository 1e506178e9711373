SELECT {function}({arguments}), h.key AS handle, false AS is_empty FROM kb_rag.handle h WHERE {nodes}
