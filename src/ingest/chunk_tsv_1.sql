pg_catalog.setweight(kb_rag.to_tsvector(l.config::regconfig, pg_catalog.left(d.title, {prefix})), 'A')
        OPERATOR(pg_catalog.||) pg_catalog.setweight(kb_rag.to_tsvector(l.config::regconfig, pg_catalog.left(u.heading, {prefix})), 'B')
        OPERATOR(pg_catalog.||) kb_rag.to_tsvector(l.config::regconfig, {text})
