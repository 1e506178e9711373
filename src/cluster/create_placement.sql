CREATE TABLE kb_rag.placement (
    name text NOT NULL,
    part int NOT NULL DEFAULT 0,
    knowledge_base_id uuid NOT NULL,
    groupid int NOT NULL,
    PRIMARY KEY (name, part)
);
COMMENT ON TABLE kb_rag.placement IS 'the node of each knowledge base in the cluster; made and filled by kb_cluster_setup';
CREATE INDEX ON kb_rag.placement (knowledge_base_id);
ALTER TABLE kb_rag.placement OWNER TO {owner}
