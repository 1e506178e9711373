-- What holds the words of a question is an answer, though its similarity is not: codes, numbers, and questions of a word.
SET client_min_messages = warning;
SELECT kb_create('machine', text_config => 'english') IS NOT NULL AS created;
SELECT count(kb_add('machine', t)) FROM unnest(ARRAY['E24: the hose is kinked', 'E05: the door is open', 'The drum turns too slowly if the belt is worn.',
    'Use washing powder for colored laundry, and not too much of it.', 'Order spare part AB-1234/5 for the pump.', 'The guarantee lasts for 24 months.',
    'Call the customer service in Bonn if the display shows E31, and have the number of the machine at hand.', 'There are 31 days in some months, on which nobody answers the phone of the customer service.']) t;
CREATE FUNCTION found(question text, threshold float8 DEFAULT NULL, mode text DEFAULT 'hybrid') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(regexp_replace(p, E'^[^\n]*\n', ''), ' | ' ORDER BY place) FROM regexp_split_to_table(kb_context(question, 'machine', 5, threshold, mode => mode), E'\n\n---\n\n') WITH ORDINALITY x (p, place)
$$;
SELECT question, (SELECT max(similarity) > 0.35 FROM kb_search(question, 'machine', 'semantic')) AS is_similar, found(question) AS hybrid, found(question, mode => 'keyword') AS keyword, found(question, mode => 'semantic') AS semantic
FROM unnest('{E24,E31,what is E31?,E99,AB1234/5,belt,laundry,kinked}'::text[]) question;
-- A threshold of the call or of the base leaves nothing through that is not above it. A gate does.
SELECT found('E31', 0.3) AS given, found('E31', -1) IS NOT NULL AS all;
SELECT kb_configure('machine', match_threshold => 0.9), found('E31') AS of_base, found('How long is the guarantee?') AS others;
SELECT kb_configure('machine', match_threshold => -1, answer_threshold => 0.9), found('E31') AS of_base, found('How long is the guarantee?') AS others;
SELECT kb_configure('machine', answer_threshold => -1);
-- Tools and snippets have the same rule; kb_search filters only when asked.
SELECT kb_call_tool('search_machine', '{"query": "E31"}') #>> '{content,0,text}' AS tool, kb_snippets('[{"role": "user", "content": "E31"}]') AS snippets;
SELECT count(*) FROM kb_search('E31', 'machine', match_threshold => 0.3);
-- Nothing of it is small talk.
SELECT question, found(question) IS NULL AS nothing FROM unnest('{"Hello, how are you today?","Thank you very much for your help!","Good morning","Can you tell me a joke?"}'::text[]) question;
-- With another ranker words have no frequencies.
SELECT kb_configure('machine', ranker => 'ts_rank');
SELECT found('kinked') IS NULL AS nothing;
DROP FUNCTION found;
SELECT kb_drop('machine');
-- Of a model that was not measured, codes pass alone.
SELECT kb_create('fakes', model => 'fake/test', dimensions => 64, text_config => 'english') IS NOT NULL AS created;
SELECT count(kb_add('fakes', t)) FROM unnest(ARRAY['The washing machine with error E24 has a hose which is kinked near the pump, and needs a mechanic.', 'A belt of the drum that is worn turns slowly, which a mechanic has to look at before it breaks.']) t;
SELECT question, max(similarity) < 0.3 AS is_far, kb_context(question, 'fakes') IS NOT NULL AS answers FROM unnest('{E24,belt}'::text[]) question, kb_search(question, 'fakes', 'semantic') GROUP BY question ORDER BY question;
SELECT kb_drop('fakes');
