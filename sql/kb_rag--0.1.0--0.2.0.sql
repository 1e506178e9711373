-- ALTER EXTENSION kb_rag UPDATE from 0.1.0. docs/releasing.md says how such a script is made and tested.

-- Sessions look the version up again when a function changes; keep this in every update script.
ALTER FUNCTION @extschema@.kb_list() CALLED ON NULL INPUT;

-- pg_restore with several jobs could bring the rows of either table first.
ALTER TABLE kb_rag.agent_knowledge_base DROP CONSTRAINT agent_knowledge_base_knowledge_base_id_fkey;
