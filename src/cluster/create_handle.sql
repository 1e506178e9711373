CREATE TABLE kb_rag.handle (key int PRIMARY KEY, touched int);
COMMENT ON TABLE kb_rag.handle IS 'a key in each shard, by which Citus sends calls to the nodes; made by kb_cluster_setup';
ALTER TABLE kb_rag.handle OWNER TO {owner};
GRANT SELECT, UPDATE (touched) ON kb_rag.handle TO PUBLIC
