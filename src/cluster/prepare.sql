UPDATE kb_rag.handle SET touched = touched WHERE key IN ({keys}) AND touched <> touched
