-- Each node gives a row, if only to say that the function gives none there.
SELECT f.*, h.key AS handle, f.ordinality IS NULL AS is_empty
FROM kb_rag.handle h LEFT JOIN LATERAL {function}({arguments}) WITH ORDINALITY f ON true
WHERE {nodes}
