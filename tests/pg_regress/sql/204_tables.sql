-- Tables longer than a chunk: chunk.context.
SET client_min_messages = warning;
SELECT kb_create('priced') AS priced \gset
CREATE FUNCTION parts(head text) RETURNS text LANGUAGE sql AS $$
    SELECT head || string_agg(format('| part_%s | %s | steel of kind %s, kept in the store of hall %s |', n, 7 * n, n, n % 5), E'\n' ORDER BY n) || E'\n\nThat is all.'
    FROM generate_series(1, 60) n
$$;
SELECT kb_add('priced', parts(E'# Parts\n\n| part | price in euro | material |\n|---|---|---|\n'), source_key => 'parts.md') AS parts \gset
SELECT kb_add('priced', parts(E'# Other parts\n\n| part | weight in gram | made of |\n|---|---|---|\n'), source_key => 'weights.md') AS weights \gset
-- The header is with each chunk of rows, and the content is what the document has.
SELECT d.source_key, c.context, count(*), bool_and(c.content = substr(d.content, c.start_char + 1, c.end_char - c.start_char)) AS as_in_document,
    bool_and(c.content LIKE '| part%') AS rows
FROM kb_priced.chunk c JOIN kb_priced.document d ON d.id = c.document_id GROUP BY 1, 2 ORDER BY 1, 2 NULLS FIRST;
-- It is found by its words, which count as text. No row has them.
SELECT count(*) FILTER (WHERE found.context LIKE '%weight%' AND found.content LIKE '%| part\_' || n || ' |%') AS first, count(*), mode
FROM generate_series(1, 60) n, unnest('{hybrid,keyword}'::text[]) mode, LATERAL (
    SELECT coalesce(s.context, s.content) AS context, s.content FROM kb_search(format('What is the weight of part_%s?', n), 'priced', mode, 1) s
) found GROUP BY 3 ORDER BY 3;
SELECT count(*) FILTER (WHERE found.content LIKE '%| part\_' || n || ' |%') AS first, count(*)
FROM generate_series(1, 60) n, LATERAL (SELECT s.content FROM kb_hybrid_search(format('What is the weight of part_%s?', n), 'priced', match_count => 1) s) found;
-- By rank also where other texts are nearer to the question: the code decides, which no other chunk has.
SELECT count(kb_add('priced', format('What is the weight of a delivery? The scale of hall %s says what the weight of it is. The weight of the box counts too.', n))) FROM generate_series(1, 40) n;
SELECT count(*) FILTER (WHERE found.content LIKE '%| part\_' || n || ' |%') AS first, count(*)
FROM generate_series(1, 60) n, LATERAL (SELECT s.content FROM kb_hybrid_search(format('What is the weight of part_%s?', n), 'priced', match_count => 1) s) found;
DELETE FROM kb_priced.document WHERE source_key IS NULL;
SELECT count(*) > 0 AS is_lexeme, bool_and(weights = '{D}') AS as_text
FROM kb_priced.chunk c, unnest(c.tsv) l WHERE c.context LIKE '%euro%' AND c.content NOT LIKE '%euro%' AND l.lexeme = 'euro';
-- The vector is that of the title, the heading, the header and the rows.
SELECT count(*), bool_and(e.embedding <=> kb_embed(concat_ws(E'\n', c.heading, c.context, c.content), input_type => 'document') < 0.001) AS same
FROM kb_priced.chunk c JOIN kb_priced.embedding e ON e.chunk_id = c.id WHERE c.context IS NOT NULL;
SELECT bool_and(token_count < 256) AS fits FROM kb_priced.chunk;
-- Texts for models have it before the rows.
SELECT left(kb_context('price of part_30', 'priced', 1, style => 'source'), 70);
SELECT kb_attach_agent(kb_agent('buyer'), 'priced');
SELECT left(kb_call_tool('search_priced', '{"query": "price of part_30"}', kb_agent('buyer')) #>> '{content,0,text}', 65);
SELECT left(kb_snippets('[{"role": "user", "content": "price of part_30"}]', 1, 'buyer') ->> 0, 40);
-- match_knowledge_chunks has the content alone.
SELECT content LIKE '| part\_%' AS is_row FROM match_knowledge_chunks(:'priced', kb_embed('price in euro of part_30'), 1, -1);
-- What is cut again stays as it is, and a chunk of another header is another one.
CREATE TABLE before AS SELECT * FROM kb_priced.chunk;
SELECT kb_refresh(:'parts', 'priced');
SELECT kb_reconcile('priced');
SELECT count(*), count(b.id) AS same FROM kb_priced.chunk c LEFT JOIN before b ON b.id = c.id AND b.context IS NOT DISTINCT FROM c.context;
UPDATE kb_priced.document SET content = replace(content, 'price in euro', 'price in dollars') WHERE id = :'parts';
SELECT count(*), count(b.id) AS same, count(*) FILTER (WHERE c.context LIKE '%dollars%') AS dollars FROM kb_priced.chunk c LEFT JOIN before b ON b.id = c.id WHERE c.document_id = :'parts' AND c.ordinal BETWEEN 1 AND 4;
UPDATE kb_priced.chunk SET context = 'changed' WHERE document_id = :'parts' AND ordinal = 2;
SELECT kb_refresh(:'parts', 'priced');
SELECT count(*) FROM kb_priced.chunk WHERE context = 'changed';
DROP TABLE before;
-- Lexemes and vectors are made again with it.
CREATE TABLE before AS SELECT id, tsv FROM kb_priced.chunk;
SELECT kb_configure('priced', fold_accents => false);
SELECT kb_configure('priced', fold_accents => true);
SELECT kb_estimate('priced') IS NOT NULL AS estimated;
CALL kb_work();
SELECT count(*), bool_and(c.tsv = b.tsv) AS same FROM kb_priced.chunk c JOIN before b USING (id);
DROP TABLE before;

-- Tables of kb_rag 0.3 lack the column until kb_reconcile adds it.
DELETE FROM kb_priced.document;
ALTER TABLE kb_priced.chunk DROP COLUMN context;
SELECT kb_add('priced', parts(E'| part | length | color |\n|---|---|---|\n'), source_key => 'lengths.md') AS lengths \gset
SELECT content LIKE '%part_30%' AS found, context FROM kb_search('part_30', 'priced', match_count => 1);
SELECT count(*) > 5 AS cut FROM kb_priced.chunk WHERE document_id = :'lengths';
SELECT kb_refresh(:'lengths', 'priced');
SELECT kb_reconcile('priced') > 0 AS repaired;
SELECT kb_refresh(:'lengths', 'priced');
SELECT kb_reconcile('priced');
SELECT count(DISTINCT context) FROM kb_priced.chunk;
SELECT col_description('kb_priced.chunk'::regclass, attnum) FROM pg_attribute WHERE attrelid = 'kb_priced.chunk'::regclass AND attname = 'context';

-- CSV: cut between records.
SELECT kb_add('priced', E'id;name;price\n' || string_agg(format(E'%s;"screw %s\nwith a long thread, galvanized";%s,50', n, n, n), E'\n' ORDER BY n), mime_type => 'text/csv') AS csv
FROM generate_series(1, 80) n \gset
SELECT context, count(*), bool_and(content ~ E'^(id;|\\d+;"screw)' AND content ~ ',50$') AS whole_records FROM kb_priced.chunk WHERE document_id = :'csv' GROUP BY 1 ORDER BY 1 NULLS FIRST;
SELECT kb_add_file('priced', convert_to(E'id\tname\n' || string_agg(format(E'%s\tnut %s', n, n), E'\n' ORDER BY n), 'UTF8'), 'nuts.tsv') AS tsv
FROM generate_series(1, 200) n \gset
SELECT DISTINCT context FROM kb_priced.chunk WHERE document_id = :'tsv' AND ordinal > 0;
SELECT ordinal, content, context FROM kb_chunk(E'id,name\n1,"a\nb"\n2,c\n3,d', 12, 0, strategy => 'csv');
SELECT ordinal, content, context FROM kb_chunk(E'| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n', 30, 0, strategy => 'markdown');
-- A header is left out of a text that it would fill by more than half.
SELECT kb_add('priced', concat_ws(';', 'machine', string_agg('length ' || n, ';' ORDER BY n)) || E'\n' ||
    string_agg(format(E'lathe_%s;%s\n', n, repeat('7;', 39)), '' ORDER BY n), source_key => 'machines.csv') AS machines FROM generate_series(1, 40) n \gset
SELECT most, length(context) <= most AS fits, context LIKE '%machine;length 1;%' AS has_header, context LIKE '%lathe_35;%' AS has_row
FROM unnest(ARRAY[300, 2000, NULL]) most CROSS JOIN LATERAL kb_context('lathe_35', 'priced', match_count => 1, mode => 'keyword', max_chars => most) context;
SELECT kb_drop('priced');
SELECT kb_agent_drop(kb_agent('buyer')) IS NOT NULL AS dropped;
DROP FUNCTION parts;
