-- Prompts, in versions that never change. No privilege is granted: functions read and write them.

CREATE TABLE kb_rag.prompt (
    id text NOT NULL,
    version int NOT NULL,
    content text NOT NULL,
    owner text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (id, version)
);
COMMENT ON TABLE kb_rag.prompt IS 'versions of prompts: instructions for rewriting conversations, which search blocks of manifests refer to';
COMMENT ON COLUMN kb_rag.prompt.id IS 'name of the prompt';
COMMENT ON COLUMN kb_rag.prompt.version IS 'number of the version, from 1';
COMMENT ON COLUMN kb_rag.prompt.content IS 'the instructions, which are added to the built-in ones';
COMMENT ON COLUMN kb_rag.prompt.owner IS 'the role that may add versions';
COMMENT ON COLUMN kb_rag.prompt.created_at IS 'when the version was added';
SELECT pg_catalog.pg_extension_config_dump('kb_rag.prompt', '');
