-- Last file of the install script: privileges on functions, and a comment on every public function.

-- Creating bases takes disk space and computing time, using providers costs money: both only by grant. kb_grant_admin
-- grants the functions of this list except itself, kb_revoke_admin and kb_cluster_setup. Only kb_create and kb_attach attach trigger
-- functions.
REVOKE EXECUTE ON FUNCTION kb_rag.document_prepare(), kb_rag.document_inserted(), kb_rag.document_updated(), kb_rag.document_replicated(), kb_rag.chunk_counted(), kb_rag.chunk_numbered(), kb_rag.attached_changed() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION @extschema@.kb_create, @extschema@.kb_adopt, @extschema@.kb_grant_admin, @extschema@.kb_revoke_admin FROM PUBLIC;
-- It makes tables that all nodes use.
REVOKE EXECUTE ON FUNCTION @extschema@.kb_cluster_setup FROM PUBLIC;
-- Reading files takes computing time.
REVOKE EXECUTE ON FUNCTION @extschema@.kb_extract FROM PUBLIC;
-- Providers are reached from the server and hold keys.
REVOKE EXECUTE ON FUNCTION @extschema@.kb_provider_set, @extschema@.kb_provider_drop, @extschema@.kb_provider_test, @extschema@.kb_provider_grant, @extschema@.kb_provider_revoke, @extschema@.kb_secret_set, @extschema@.kb_secret_drop, @extschema@.kb_prompt_set FROM PUBLIC;

-- pgrx makes a function without arguments STRICT; no function of kb_rag is.
ALTER FUNCTION @extschema@.kb_list() CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kb_provider_list() CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kb_prompt_list() CALLED ON NULL INPUT;
ALTER FUNCTION @extschema@.kb_cluster_setup() CALLED ON NULL INPUT;

-- Costs relative to an operator (1 unit is about a tenth of a microsecond), and numbers of rows.
ALTER FUNCTION @extschema@.kb_embed COST 100000;
ALTER FUNCTION @extschema@.kb_embed_batch COST 100000 ROWS 10;
ALTER FUNCTION @extschema@.kb_chunk COST 1000 ROWS 10;
ALTER FUNCTION @extschema@.kb_hybrid_search COST 100000 ROWS 5;
ALTER FUNCTION @extschema@.kb_search COST 100000 ROWS 5;
ALTER FUNCTION @extschema@.kb_context COST 100000;
ALTER FUNCTION @extschema@.kb_highlight COST 100 ROWS 1;
ALTER FUNCTION @extschema@.kb_call_tool COST 100000;
ALTER FUNCTION @extschema@.kb_snippets COST 100000;
ALTER FUNCTION @extschema@.kb_retrieve COST 100000;
ALTER FUNCTION @extschema@.kb_rewrite_query COST 100000;
ALTER FUNCTION @extschema@.match_knowledge_chunks COST 10000 ROWS 5;
ALTER FUNCTION @extschema@.kb_estimate COST 100000 ROWS 1;
ALTER FUNCTION @extschema@.kb_provider_test COST 100000 ROWS 1;
ALTER FUNCTION @extschema@.kb_provider_list ROWS 10;
ALTER FUNCTION @extschema@.kb_extract COST 100000 ROWS 10;
ALTER FUNCTION @extschema@.kb_add_file COST 100000;
ALTER FUNCTION @extschema@.kb_stats COST 10000 ROWS 5;

COMMENT ON FUNCTION @extschema@.kb_create IS 'creates a knowledge base: a schema kb_<name> with the tables source, document, chunk and embedding, and the statistics for keyword search; returns its id; with if_not_exists a base of this name stays as it is, and a NOTICE says what is different';
COMMENT ON FUNCTION @extschema@.kb_configure IS 'changes settings of a knowledge base and rebuilds what depends on them; NULL leaves a setting unchanged; searches continue meanwhile, writers wait';
COMMENT ON FUNCTION @extschema@.kb_reindex IS 'rebuilds lexemes, statistics and indexes of a knowledge base; no text is split or embedded again';
COMMENT ON FUNCTION @extschema@.kb_reconcile IS 'repairs what was written while triggers were disabled, or by replication; with outdated, documents that an earlier version of the chunker cut are cut again; returns the number of repaired documents, and of chunks and vectors that belonged to no document';
COMMENT ON FUNCTION @extschema@.kb_retry IS 'retries at once what could not be embedded in a knowledge base, and ends the pauses of its provider; returns the number of jobs; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_import IS 'imports chunks and their vectors from a table without embedding anything; mapping names the columns: content, embedding, and optionally document, ordinal, title, heading, language, metadata; returns the number of chunks';
COMMENT ON FUNCTION @extschema@.kb_adopt IS 'takes over the tables of a knowledge base that are in a schema but not in the catalog, as after DROP EXTENSION or a restore of the schema alone; returns its id';
COMMENT ON FUNCTION @extschema@.kb_drop IS 'drops a knowledge base with all its documents; fails while other objects depend on it';
COMMENT ON FUNCTION @extschema@.kb_cluster_setup IS 'connects the nodes of Citus: makes kb_rag.handle and kb_rag.placement, and registers the knowledge bases of all nodes; for superusers, on the coordinator, and again after a node is added';
COMMENT ON FUNCTION @extschema@.kb_rename IS 'renames a knowledge base, whose schema keeps its name; for its owner';
COMMENT ON FUNCTION @extschema@.kb_list IS 'the knowledge bases the caller may read, with their settings';
COMMENT ON FUNCTION @extschema@.kb_expose IS 'makes a view of the chunks of a knowledge base that have a vector, or of its URLs, for applications with SQL of their own, or with layout supabase the functions match_documents and kw_match_documents, and returns its name: layout says with which columns, name where it is (in the schema of the knowledge base by default), content_key which key of metadata holds the text in the layout pgvector; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_grant IS 'grants a role, or public, a privilege on a knowledge base: read, write (which includes read) or admin (which includes write); for its administrators';
COMMENT ON FUNCTION @extschema@.kb_revoke IS 'revokes a privilege on a knowledge base, and those that include it, from a role or public; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_grant_admin IS 'allows a role, or public, to create knowledge bases, providers and secrets; for superusers';
COMMENT ON FUNCTION @extschema@.kb_revoke_admin IS 'revokes what kb_grant_admin granted; the role keeps the knowledge bases that it created';
COMMENT ON FUNCTION @extschema@.kb_agent IS 'the identifier of an agent that an application calls by a name: the name itself if it is a uuid, else its UUIDv5';
COMMENT ON FUNCTION @extschema@.kb_attach_agent IS 'adds the knowledge base to the searches of an agent, which find only chunks whose metadata contains filter; attaching it again sets the new filter; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_detach_agent IS 'removes the knowledge base from the searches of an agent; for its administrators';
COMMENT ON FUNCTION @extschema@.kb_agent_list IS 'the knowledge bases attached to agents, with their filters, and whether the agent uses its knowledge bases: of one knowledge base, or of all that the caller may read; with unattached the agents to which none is attached, and the knowledge base that kb_snippets answered them from: for its administrators';
COMMENT ON FUNCTION @extschema@.kb_agent_configure IS 'says whether an agent uses its knowledge bases: while it does not, its searches find nothing, and what workers would fetch or embed for it in them waits; NULL leaves it as it is; for administrators of one of them';
COMMENT ON FUNCTION @extschema@.kb_agent_drop IS 'detaches all knowledge bases from an agent, for administrators of all of them, and deletes its URLs and documents with its agent_id in their metadata if delete_documents is true; returns how many documents';
COMMENT ON FUNCTION @extschema@.kb_context IS 'the passages for a question as one text for the prompt of a chat model, or NULL if none passes the threshold: style relevance puts [Relevance: 87%] before each, source puts [Source: guide.pdf]; page_numbers adds (page 4); max_chars limits its length in characters; neighbors adds so many chunks before and after each; whole_document gives documents, as much as max_chars has room for; passages with the same text come once unless duplicates is keep';
COMMENT ON FUNCTION @extschema@.kb_tools IS 'the tools that a chat model may call, as a JSON array: a search for each knowledge base of the agent (of at most 20; without an agent those of the caller), search_knowledge and read_knowledge; format is mcp, openai, anthropic or gemini; with tools => ''search'' just the searches of one knowledge base each';
COMMENT ON FUNCTION @extschema@.kb_question_add IS 'adds a question to measure searches with, and makes the tables question and evaluation of the base at the first one; without anything expected it is to find nothing; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_question_draft IS 'makes questions of chunks of a base without a language model, from titles, headings, definitions and rare words, or with use_chat_model by kb_rag.chat_model, one call each, with the prompt kb_question_draft if there is one; marks them as drafts; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_explain IS 'explains a search of kb_search in one base, with its arguments: the question as keyword search reads it, each step with its candidates and time, fusion, thresholds and results; with the id of a chunk or document, why that stands where it does, or is not found';
COMMENT ON FUNCTION @extschema@.kb_evaluate IS 'asks the questions of a base, those with the tag if one is given, with arguments of kb_search as an object, or an array of such objects: one row each with hits, MRR and nDCG@10 from 0 to 1, their 95 % intervals, and wrong answers and refusals; match_count is 10 unless given; save_as keeps the run; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_evaluate_questions IS 'asks the questions of a base with arguments of kb_search: one row for each question, with the rank of what it expects, what came before that, and which search found it; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_compare IS 'compares two sets of arguments of kb_search, or kept runs by name, on the questions of a base: for each measure the mean of b - a with its 95 % interval, questions won and lost, and p by paired randomization with 10,000 rounds, corrected by Holm where b is an array; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_suggest IS 'tries arguments of kb_search on one half of the questions of a base and checks the best on the other half, and a better answer_threshold likewise; changes nothing; for administrators of the base';
COMMENT ON FUNCTION @extschema@.kb_tools_config IS 'the knowledge bases of the agent, or of the caller, as clients are configured that make a search tool of each: a JSON array of objects with kb_id, name, description, connection_url, embedding_provider and embedding_model; without connection_url that of this database, without a password; format is json, or shell for one quoted word';
COMMENT ON FUNCTION @extschema@.kb_call_tool IS 'the result of a tool of kb_tools: content for the model, sources for people, and isError if the arguments are wrong or a model failed; an unknown tool is an error; session_id names the conversation in kb_rag.search_history';
COMMENT ON FUNCTION @extschema@.kb_snippets IS 'the texts of the best passages for a conversation, as a JSON array of strings; the query is the last message of the customer, or what kb_rag.chat_model makes of the conversation; fallback_base is searched for an agent to which no base is attached; a failure is a warning and the array empty';
COMMENT ON FUNCTION @extschema@.kb_retrieve IS 'what an agent with this search block of a manifest gets for a conversation: texts of a table with vectors (type pgvector) or of an HTTP endpoint (type external), joined by lines of three hyphens; NULL if nothing is found, without a block, and with a warning after a failure';
COMMENT ON FUNCTION @extschema@.kb_check_search IS 'checks the search block of a manifest, or a whole manifest, without calling a provider; the error names every mistake';
COMMENT ON FUNCTION @extschema@.kb_rewrite_query IS 'one search query of at most 2,000 characters for a conversation, by a chat model (provider/model, by default kb_rag.chat_model) that gets the instructions after its own; without a chat model, and with a warning where it fails, the last message of the customer';
COMMENT ON FUNCTION @extschema@.kb_prompt_set IS 'adds a version of a prompt, which search blocks of manifests refer to by its id; returns its number, from 1: the next one, unless version gives it; only the owner of the prompt adds versions, which never change';
COMMENT ON FUNCTION @extschema@.kb_prompt_list IS 'all versions of all prompts, the newest first';
COMMENT ON FUNCTION @extschema@.kb_attach IS 'makes documents from the rows of a table and keeps them in sync with it: content and title name its columns, metadata further ones; mime_type says how the content is read, language its language, each a constant or a column in braces; more_content names further columns with text, url is a template such as https://example.com/a/{id}; only rows that meet the condition, an expression over columns of the table, have documents; embedding names a column with vectors of the model of the knowledge base, which are used; workers read the rows and make the other vectors, but with wait all rows are read before it returns; with if_not_exists a table that is attached stays as it is; attaching it again applies the new settings; row security of the table holds for its documents, unless row_security is ''ignore''; for owners of the table who administer the knowledge base; returns the id of the source';
COMMENT ON FUNCTION @extschema@.kb_detach IS 'ends what kb_attach began; the documents stay unless delete_documents is true; for administrators of the knowledge base and owners of the table';
COMMENT ON FUNCTION @extschema@.kb_add IS 'adds a document and returns its id; a document with the same source_type and source_key is replaced; unchanged text costs nothing; language chooses the text search configuration, NULL leaves it unchanged';
COMMENT ON FUNCTION @extschema@.kb_chunk IS 'splits a text into overlapping chunks; offsets count characters from 0, the end is exclusive; context: the header of the table in which a chunk begins';
COMMENT ON FUNCTION @extschema@.kb_lexemes IS 'what keyword search sees of a text in a knowledge base: lexemes with their kind (word, folded: without accents, part: of a compound, or bigram), the position of their word from 1, the word as the text has it, the dictionary that made them (NULL if none did), and where the word stands in characters from 0';
COMMENT ON FUNCTION @extschema@.kb_highlight IS 'the part of a text in which a query finds most words by keyword in a knowledge base, of at most max_chars characters (NULL for the whole text), with start_sel and stop_sel around the words, not escaped; where it stands in the text, and where the words in it stand, as [start, end], in characters from 0';
COMMENT ON FUNCTION @extschema@.kb_embed IS 'the embedding of a text: a vector of length 1; input_type is query or document';
COMMENT ON FUNCTION @extschema@.kb_embed_batch IS 'the embeddings of several texts; ordinal counts from 0 in the order given';
COMMENT ON FUNCTION @extschema@.kb_provider_set IS 'creates a provider of embedding models or changes one: NULL leaves a setting unchanged, or is the default; api_key says where the key is: secret:name, or for superusers env:NAME or file:/path; empty for none';
COMMENT ON FUNCTION @extschema@.kb_provider_drop IS 'removes a provider and its grants, and warns if knowledge bases use it; for its owner';
COMMENT ON FUNCTION @extschema@.kb_provider_list IS 'the providers that the caller may use, and the built-in ones, without keys and values of headers; only the owner sees where a key is';
COMMENT ON FUNCTION @extschema@.kb_provider_test IS 'embeds one text with a model of a provider, by default that of a knowledge base or a common one of its kind: returns dimensions, milliseconds and tokens, or raises the error';
COMMENT ON FUNCTION @extschema@.kb_provider_grant IS 'allows a role, or public, to send texts to a provider, or to have pages fetched through it, which may cost money; with agent_id just those of this agent, with auto_sync => false just once each; for its owner';
COMMENT ON FUNCTION @extschema@.kb_provider_revoke IS 'revokes what kb_provider_grant granted to the role, or just the grant for one agent; knowledge bases of the role stop using the provider';
COMMENT ON FUNCTION @extschema@.kb_secret_set IS 'stores a key, for providers of the caller that refer to it as secret:name; it is sent only to one origin, such as https://api.example.com';
COMMENT ON FUNCTION @extschema@.kb_secret_drop IS 'deletes a key; for its owner';
COMMENT ON FUNCTION @extschema@.kb_estimate IS 'estimates what embedding a knowledge base takes: chunks without a vector, or all of them with another model; with outdated, as after kb_reconcile with outdated; with summaries, what this chat model takes for the documents without abstract or overview; tokens, calls and cost, NULL if the price is not known';
COMMENT ON FUNCTION @extschema@.kb_warm_query IS 'embeds a query with the model of a knowledge base and caches the vector for kb_rag.query_cache_ttl, for searches of all sessions; does nothing for local models';
COMMENT ON FUNCTION @extschema@.kb_hybrid_search IS 'the best chunks for a question, by keyword and by meaning, fused by reciprocal rank or relative score; best first, ties by keyword_rank, semantic_rank, then chunk_id; with syntax => ''web'' quotes and -word work as in web search';
COMMENT ON FUNCTION @extschema@.kb_search IS 'kb_hybrid_search with a mode: hybrid, semantic or keyword; hybrid is fused by relative score by default. neighbors shows so many chunks before and after each as one text, knowledge_bases searches several by name, duplicates => merge makes rows with the same text one and lists the others, snippet adds the part in which the question is found';
COMMENT ON FUNCTION @extschema@.match_knowledge_chunks IS 'the chunks nearest to a vector among the knowledge bases of an agent (or in the knowledge base whose id it is), with a cosine similarity above the threshold';
COMMENT ON FUNCTION @extschema@.kb_search_documents IS 'the documents of the best chunks for a question, one row each, with their summaries and the text at a level: abstract, overview or content; best first; knowledge_bases, duplicates and snippet as in kb_search';
COMMENT ON FUNCTION @extschema@.kb_read IS 'one document with its text at a level: abstract, overview or content; an error if there is none that the caller may see';
COMMENT ON FUNCTION @extschema@.kb_extract IS 'the text of a PDF, HTML, DOCX, Markdown or text file: one row a page, or one row; needs EXECUTE, which kb_grant_admin grants';
COMMENT ON FUNCTION @extschema@.kb_add_file IS 'adds a file to a knowledge base as one document: reads its text, and replaces the document of the same source_id, source_type and source_key; the same file again costs nothing';
COMMENT ON FUNCTION @extschema@.kb_browse IS 'the documents the caller may see that pass a filter, the newest first, page by page: match_count of them, after match_offset';
COMMENT ON FUNCTION @extschema@.kb_stats IS 'the documents the caller may see by source_type: how many there are, how many chunks they have and how many of them failed';
COMMENT ON FUNCTION @extschema@.kb_delete IS 'deletes a document; returns false if there is none that the caller may see and delete';
COMMENT ON FUNCTION @extschema@.kb_delete_where IS 'deletes the documents of a knowledge base that pass a filter, of those that the caller may see and delete; an empty filter, or one that negates a key which no document has, needs everything => true; returns how many were deleted';
COMMENT ON FUNCTION @extschema@.kb_refresh IS 'splits one document again by the settings of its knowledge base and embeds the chunks that differ, and has the page it was made from fetched again; returns false if there is none that the caller may see and change';
COMMENT ON FUNCTION @extschema@.kb_add_url IS 'adds a page, a site or a repository: workers fetch it and make documents of its pages; the same URL of the same agent again gets the new settings and is fetched again; returns the id of the source';
COMMENT ON FUNCTION @extschema@.kb_source_sync IS 'has a source fetched again, or those that are due; with force, pages are removed even if most would be, and a source that a server asked to wait is tried once; returns how many were queued';
COMMENT ON FUNCTION @extschema@.kb_source_list IS 'the sources of a knowledge base, or of those the caller may read: URLs, attached tables and directories, with their state and their documents';
COMMENT ON FUNCTION @extschema@.kb_source_drop IS 'removes a URL with its documents, chunks and jobs';
COMMENT ON FUNCTION @extschema@.kb_add_output IS 'adds what an agent wrote as a document of source_type agent_output and returns its id, or NULL where kb_rag.auto_index is off or the text is not longer than kb_rag.auto_index_min_chars; agent_id is a name or a uuid, as kb_agent takes it';

-- A procedure, because it commits after every batch; declared here, because pgrx cannot declare one.
CREATE PROCEDURE @extschema@.kb_work(max_seconds float8 DEFAULT 60)
    LANGUAGE c AS 'MODULE_PATHNAME', 'kb_work_wrapper';
COMMENT ON PROCEDURE @extschema@.kb_work IS 'embeds what is queued in the knowledge bases the caller administers, like the background workers, until nothing is due any more or max_seconds are over; not inside a transaction block';

-- Only the functions write the catalog. Otherwise members of pg_write_all_data could refer to a key of the server in
-- a provider of their own, mark other roles' tables as attached, or set a model that receives other roles' texts.
-- Providers, grants, keys and the log are not for pg_read_all_data either. The functions write as the owner of the tables, which
-- this does not restrict.
DO $$
DECLARE
    entry record;
BEGIN
    FOR entry IN
        SELECT c.oid, c.relname
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) d.objid AND c.relkind OPERATOR(pg_catalog.=) 'r'
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE kb_rag.%I ENABLE ROW LEVEL SECURITY', entry.relname);
        IF entry.relname OPERATOR(pg_catalog.<>) ALL (ARRAY['limited_grant', 'provider', 'provider_grant', 'search_log', 'secret']) THEN
            EXECUTE pg_catalog.format('CREATE POLICY readers ON kb_rag.%I FOR SELECT USING (true)', entry.relname);
        END IF;
    END LOOP;
END
$$;

-- A type with the name of one of pgvector's may have been created after the first check.
DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid AND e.extname OPERATOR(pg_catalog.=) 'kb_rag'
        JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) d.objid
        CROSS JOIN LATERAL pg_catalog.unnest(pg_catalog.array_append(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[]), p.prorettype)) AS a (type)
        JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.type
        WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND t.typnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_depend o
                JOIN pg_catalog.pg_extension v ON v.oid OPERATOR(pg_catalog.=) o.refobjid AND v.extname OPERATOR(pg_catalog.=) 'vector'
                WHERE o.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass AND o.objid OPERATOR(pg_catalog.=) t.oid
                    AND o.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND o.deptype OPERATOR(pg_catalog.=) 'e'
            )
    ) THEN
        RAISE EXCEPTION 'a function of the extension has an argument or a result of a type that is neither PostgreSQL''s nor pgvector''s'
            USING ERRCODE = '42804', HINT = 'Drop the extension, then types named like those of pgvector in its schema, and create it again; bases are taken over by kb_adopt.';
    END IF;
END
$$;
