-- ALTER EXTENSION kb_rag UPDATE from 0.3.0. docs/releasing.md describes how such a script is made and tested.

-- No type but pgvector's, as in a new installation: checked before any function is created here.
DO $$
BEGIN
    -- The functions refer to the type by name, and their schema is searched before that of pgvector.
    IF (
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'vector'
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regtype('vector')
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
    ) OPERATOR(pg_catalog.=) 0 THEN
        RAISE EXCEPTION 'a type named "vector" that is not pgvector''s is in the schema of the extension'
            USING ERRCODE = '42710', HINT = 'Drop the type, and run the update again.';
    END IF;
END
$$;

COMMENT ON SCHEMA kb_rag IS 'catalog of the extension kb_rag, with the views status, failed, source_status and usage_daily; its functions are internal';
