-- An application as its authors would write it: a framework that makes one tool search_<slug> of each base, with a single
-- argument, labels the passages with their sources, and shows the sources beside the answer.
SET client_min_messages = warning;
SELECT kb_create('product-docs', description => 'Documents about the product') AS docs, kb_create('hr policies') AS hr \gset
SELECT count(kb_add(kb, text, source_key => file)) FROM (VALUES
    ('product-docs', 'Rollbacks are triggered by the command rollout undo. They take two minutes.', 'guides/deploy-guide.pdf'),
    ('product-docs', 'The dashboard shows the load of every server.', 'guides/dashboard.pdf'),
    ('hr policies', 'Everybody has thirty days of holiday a year.', 'holidays.docx')) d (kb, text, file);

-- The list of bases that it is configured with.
SELECT jsonb_pretty(jsonb_agg(jsonb_build_object('kb_id', name, 'name', name, 'description', coalesce(description, 'Documents and knowledge about ' || name),
    'embedding_provider', split_part(model, '/', 1), 'embedding_model', substr(model, strpos(model, '/') + 1)) ORDER BY name)) AS knowledge_bases
FROM kb_list();

-- One tool a base; what it needs is name, description and the one argument.
SELECT tool->>'name' AS name, tool->>'description' AS description, jsonb_path_query_array(tool, '$.inputSchema.properties.keyvalue().key') AS arguments
FROM jsonb_array_elements(kb_tools()) tool WHERE tool->>'name' NOT IN ('search_knowledge', 'read_knowledge');

-- execute(query): the output for the model, and props["sources"] for the dashboard.
CREATE FUNCTION execute(tool text, query text, OUT output text, OUT sources jsonb) LANGUAGE sql AS $$
    SELECT result->'content'->0->>'text', result->'sources' FROM kb_call_tool(tool, jsonb_build_object('query', query)) result
$$;
SELECT output FROM execute('search_product_docs', 'What does the deployment guide say about rollbacks?');
SELECT s->>'filename' AS filename, s->>'kb_id' AS kb_id, (s->>'score')::float8 > 0 AS has_score FROM execute('search_product_docs', 'What does the deployment guide say about rollbacks?') e CROSS JOIN LATERAL jsonb_array_elements(e.sources) s;
-- The label of a passage is the name of its source, so that the model's citation and the table of sources agree.
SELECT DISTINCT output LIKE '%[Source: ' || (s->>'filename') || '] %' AS agrees FROM unnest('{search_product_docs,search_hr_policies}'::text[]) tool, execute(tool, 'server rollbacks holiday') e CROSS JOIN LATERAL jsonb_array_elements(e.sources) s;
-- Nothing for a question that is about something else, even if the model searches.
SELECT e.* FROM unnest('{Hello\, how are you?,Thanks a lot!,What is the capital of France?}'::text[]) query CROSS JOIN LATERAL execute('search_product_docs', query) e;
SELECT e.* FROM execute('search_product_docs', 'How many days of holiday do I have?') e;
-- A retriever that wants rows: content, score and metadata.
SELECT content, score > 0 AS has_score, metadata FROM kb_hybrid_search('rollbacks', 'product-docs', match_count => 1);

DROP FUNCTION execute;
SELECT kb_drop(name) FROM kb_list();
