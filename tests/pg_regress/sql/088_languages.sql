-- Languages that the default model reads, half reads and cannot read: what similarity counts there, and what is told.
\set VERBOSITY default
SET client_min_messages = warning;
SELECT kb_create('russian', text_config => 'russian') IS NOT NULL AS russian,
    kb_create('chinese') IS NOT NULL AS chinese, kb_create('thai') IS NOT NULL AS thai,
    kb_create('german', text_config => 'german') IS NOT NULL AS german,
    kb_create('english', text_config => 'english') IS NOT NULL AS english,
    kb_create('mixed', text_config => 'english') IS NOT NULL AS mixed,
    kb_create('hashes', model => 'fake/test', dimensions => 16, text_config => 'russian') IS NOT NULL AS hashes;
CREATE TEMP TABLE sample (language text, title text, content text);
INSERT INTO sample VALUES
    ('russian', 'Хлеб', 'Тесто для хлеба замешивают вечером и оставляют на ночь в прохладном месте.'),
    ('russian', 'Огород', 'Помидоры сажают в конце мая, когда земля прогрелась, и поливают тёплой водой.'),
    ('russian', 'Поезд', 'Поезд в Казань отправляется каждый вечер с третьего пути.'),
    ('russian', 'Билеты', 'Билеты на поезд продаются в кассе вокзала до десяти часов вечера.'),
    ('russian', 'Библиотека', 'Библиотека открыта с девяти утра, книги выдаются на три недели.'),
    ('russian', 'Зима', 'Зимой река замерзает, и дети катаются по льду на коньках.'),
    ('russian', 'Музей', 'В музее показывают старые карты, монеты и морские приборы.'),
    ('russian', 'Врач', 'Врач принимает по вторникам, записаться можно по телефону.'),
    ('russian', 'Дорога', 'Дорога через перевал закрыта, пока не растает снег.'),
    ('russian', 'Пчёлы', 'Пчёлы собирают мёд с липы в начале июля.'),
    ('chinese', '图书馆', '图书馆每天早上九点开门，借书期限是三个星期。'),
    ('chinese', '面包', '面团在晚上揉好，放在阴凉的地方过夜，早上再烤。'),
    ('chinese', '火车', '去海边的火车每天晚上从三号站台出发。'),
    ('thai', 'ห้องสมุด', 'ห้องสมุดเปิดทุกวันตั้งแต่เก้าโมงเช้า ยืมหนังสือได้สามสัปดาห์'),
    ('thai', 'รถไฟ', 'รถไฟไปทะเลออกทุกเย็นจากชานชาลาที่สาม'),
    ('german', 'Brot', 'Der Brotteig wird am Abend geknetet und ruht über Nacht an einem kühlen Ort.'),
    ('german', 'Garten', 'Tomaten pflanzt man Ende Mai ins Freie und gießt sie mit abgestandenem Wasser.'),
    ('german', 'Zug', 'Der Nachtzug nach Lissabon fährt jeden Abend von Gleis drei ab.'),
    ('german', 'Bücherei', 'Die Stadtbücherei öffnet um neun Uhr, ausgeliehene Bücher gibt man nach drei Wochen zurück.'),
    ('german', 'Winter', 'Im Winter friert der Fluss zu, und die Kinder laufen Schlittschuh.'),
    ('english', 'Bread', 'Dough is kneaded in the evening and rests overnight in a cool place.'),
    ('english', 'Garden', 'Tomatoes are planted at the end of May and watered from below.'),
    ('english', 'Train', 'The night train to Lisbon leaves from platform three every evening.'),
    ('english', 'Tickets', 'Tickets for the train are sold at the station until ten.'),
    ('english', 'Library', 'The library opens at nine, and books may be kept for three weeks.'),
    ('english', 'Winter', 'In winter the river freezes and the children go skating.'),
    ('english', 'Museum', 'The museum shows old maps, coins and instruments of navigation.'),
    ('english', 'Doctor', 'The doctor sees patients on Tuesdays; appointments are made by telephone.'),
    ('english', 'Road', 'The road over the pass is closed until the snow has melted.'),
    ('english', 'Bees', 'Bees make honey from lime trees at the beginning of July.'),
    ('english', 'Port', 'A server cannot bind its port while another process still listens there.'),
    ('english', 'Crash', 'A crash dump shows the address of the instruction that failed.');
SELECT count(kb_add(language, content, title)) FROM sample;
SELECT count(kb_add('mixed', content, title)) FROM sample WHERE language IN ('english', 'russian');
SELECT count(kb_add('hashes', content, title)) FROM sample WHERE language = 'russian';
RESET client_min_messages;

-- Russian: keywords only, which is told once a session.
SELECT title, semantic_rank, similarity, keyword_rank FROM kb_search('Когда отправляется поезд в Казань?', 'russian');
SELECT title, semantic_rank, similarity, keyword_rank FROM kb_hybrid_search('Когда отправляется поезд в Казань?', 'russian');
CREATE FUNCTION same_as_keywords(question text, base text) RETURNS bool LANGUAGE sql AS $$
    SELECT array(SELECT chunk_id FROM kb_search(question, base, match_count => 100))
        = array(SELECT chunk_id FROM kb_search(question, base, 'keyword', match_count => 100))
        AND array(SELECT chunk_id FROM kb_hybrid_search(question, base, match_count => 100))
        = array(SELECT chunk_id FROM kb_search(question, base, 'keyword', match_count => 100))
$$;
SELECT question, same_as_keywords(question, 'russian')
FROM (VALUES ('Где продаются билеты на поезд?'), ('Когда открыта библиотека вечером?'), ('Почему дорога закрыта зимой?')) t (question);
-- A threshold cannot hold for what has no similarity.
SELECT title FROM kb_search('Где продаются билеты?', 'russian', match_threshold => 0.99);
-- A question that the model reads does not help where it cannot read the texts.
SELECT count(*) FROM kb_search('When does the train to Kazan leave?', 'russian');
SELECT count(*) FROM kb_search('поезд OK', 'russian', query_embedding => kb_embed('the train'));
-- The mode semantic works all the same.
SELECT count(*), count(similarity) AS with_similarity FROM kb_search('Когда отправляется поезд?', 'russian', 'semantic');
SELECT count(*) FROM kb_hybrid_search('Когда отправляется поезд?', 'russian', keyword_weight => 0);
-- The mode keyword uses no model, so nothing is told.
\c -
SELECT title FROM kb_search('Когда отправляется поезд?', 'russian', 'keyword');
SELECT count(*) FROM kb_hybrid_search('Когда отправляется поезд?', 'russian', semantic_weight => 0);
-- Another session is told again, here by the mode semantic.
SELECT count(*) FROM kb_search('Когда отправляется поезд?', 'russian', 'semantic');

-- Chinese and Thai.
SELECT title, semantic_rank, keyword_rank FROM kb_search('图书馆几点开门？', 'chinese');
SELECT title, semantic_rank, keyword_rank FROM kb_search('รถไฟไปทะเลออกกี่โมง', 'thai', match_count => 1);
SELECT same_as_keywords('图书馆几点开门？', 'chinese') AS chinese, same_as_keywords('รถไฟไปทะเลออกกี่โมง', 'thai') AS thai;

-- German: similarity is shown and counts little; keywords decide wherever they tell chunks apart.
SELECT title, semantic_rank IS NOT NULL AS by_vector, similarity IS NOT NULL AS compared, keyword_rank
FROM kb_search('Wann fährt der Nachtzug nach Lissabon ab?', 'german', match_count => 1);
SELECT question, (SELECT title FROM kb_search(question, 'german', match_count => 1)) AS hybrid,
    (SELECT title FROM kb_hybrid_search(question, 'german', match_count => 1)) AS by_rank,
    (SELECT title FROM kb_search(question, 'german', 'keyword', match_count => 1)) AS keyword,
    (SELECT title FROM kb_search(question, 'german', 'semantic', match_count => 1)) AS semantic
FROM (VALUES ('Wo ruht der Brotteig über Nacht?'), ('Wann pflanzt man Tomaten?'), ('Wie lange darf man Bücher behalten?'),
    ('Wann laufen die Kinder Schlittschuh?'), ('Wo steht der Nachtzug am Abend?')) t (question);
-- It adds what shares no word with the question, and no threshold takes anything away.
SELECT count(*), count(keyword_rank) AS by_keyword FROM kb_search('Wann pflanzt man Tomaten?', 'german', match_threshold => 0.99);

-- English: both arms, and nothing is told.
SELECT title, semantic_rank, keyword_rank FROM kb_search('When does the night train to Lisbon leave?', 'english', match_count => 1);
SELECT title, semantic_rank FROM kb_search('opening hours for borrowing novels', 'english', match_count => 1);
SELECT count(*) FROM kb_search('When does the night train to Lisbon leave?', 'english', match_threshold => 0.99);
-- Nor of identifiers and names, which are no words of any language.
SELECT count(*), count(semantic_rank) AS by_vector FROM kb_search('EADDRINUSE 0x7f3a', 'english');
SELECT count(*), count(semantic_rank) AS by_vector FROM kb_search('Zoë Müller-Özdemir café', 'english');

-- A base of both: the question decides, and what most of the texts near it are written in.
SELECT title, semantic_rank FROM kb_search('opening hours for borrowing novels', 'mixed', match_count => 1);
SELECT title, semantic_rank, keyword_rank FROM kb_search('Когда отправляется поезд в Казань?', 'mixed', match_count => 1);
SELECT title, semantic_rank FROM kb_search('opening hours for borrowing novels', 'mixed', match_count => 1);

-- A model whose tokens are not known is not weighed.
SELECT count(*), count(semantic_rank) AS by_vector FROM kb_search('Когда отправляется поезд?', 'hashes', match_count => 10);

-- Data is of no language: blobs in a small base do not decide.
SELECT kb_create('blob', text_config => 'english') IS NOT NULL AS created;
SELECT count(kb_add('blob', content, title)) FROM (VALUES
    ('Pumps', 'The pump runs dry because the tank is empty. Fill the tank and press the button.'),
    ('Key', 'The key: ' || translate(encode(sha512('1') || sha512('2') || sha512('3'), 'base64'), E'\n', '')),
    ('Seal', 'The seal: ' || translate(encode(sha512('4') || sha512('5') || sha512('6'), 'base64'), E'\n', ''))) v (title, content);
SELECT title, semantic_rank FROM kb_search('Why does the pump run dry?', 'blob', match_count => 1);

-- Several bases of the model are named together.
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000008', name) FROM unnest(ARRAY['russian', 'chinese']) name;
SELECT title, knowledge_base, semantic_rank FROM kb_search('Где библиотека?', agent_id => 'a0000000-0000-0000-0000-000000000008');

-- Text that the model cannot read is cut by the size in characters only.
SET client_min_messages = warning;
SELECT kb_create('sizes', embed => 'off') IS NOT NULL AS sizes,
    kb_create('tokens', embed => 'off', chunk_size => 200, chunk_overlap => 20, chunk_unit => 'token') IS NOT NULL AS tokens;
CREATE TEMP TABLE long (title text, content text);
INSERT INTO long VALUES
    ('Russian', left(repeat('Летом лодки стоят у старого причала, а осенью их вытаскивают на берег и красят заново. ', 60), 3000)),
    ('Chinese', left(repeat('夏天小船停在旧码头旁边，秋天人们把它们拉上岸，重新刷漆。', 200), 3000)),
    ('Thai', left(repeat('ฤดูร้อนเรือจอดอยู่ที่ท่าเรือเก่า ฤดูใบไม้ร่วงคนลากเรือขึ้นฝั่ง ', 100), 3000)),
    ('English', left(repeat('In summer the boats lie at the old pier, and in autumn they are pulled ashore and painted. ', 60), 3000)),
    ('Figures', left(repeat('Measured depth of the harbour: 1, 2, 3, 4, 5, 6, 7, 8, 9; ', 100), 3000));
SELECT count(kb_add(base, content, title)) FROM long CROSS JOIN unnest(ARRAY['sizes', 'tokens']) base;
SELECT title, count(*) AS chunks, max(c.token_count) <= 254 AS read_whole
FROM kb_sizes.document d JOIN kb_sizes.chunk c ON c.document_id = d.id GROUP BY title ORDER BY title COLLATE "C";
-- A size in tokens holds in every language.
SELECT title, count(*) AS chunks, max(c.token_count) <= 200 AS within_size
FROM kb_tokens.document d JOIN kb_tokens.chunk c ON c.document_id = d.id GROUP BY title ORDER BY title COLLATE "C";

-- Of equal scores, the better rank by keyword comes first, whatever the ids.
SELECT kb_create('ties', model => 'fake/test', dimensions => 64, text_config => 'english') IS NOT NULL AS ties;
SELECT kb_add('ties', 'moose moose moose', 'A') IS NOT NULL AND kb_add('ties', 'moose walk far into the forest', 'B') IS NOT NULL AS a_first;
CREATE FUNCTION near_b() RETURNS vector LANGUAGE sql AS $$
    SELECT e.embedding FROM kb_ties.embedding e JOIN kb_ties.chunk c ON c.id = e.chunk_id JOIN kb_ties.document d ON d.id = c.document_id
    WHERE d.title = 'B'
$$;
SELECT title, score = max(score) OVER () AS tied, keyword_rank, semantic_rank FROM kb_hybrid_search('moose', 'ties', query_embedding => near_b());
SELECT title, score = max(score) OVER () AS tied, keyword_rank, semantic_rank FROM kb_search('moose', 'ties', query_embedding => near_b());
DELETE FROM kb_ties.document;
SELECT kb_add('ties', 'moose walk far into the forest', 'B') IS NOT NULL AND kb_add('ties', 'moose moose moose', 'A') IS NOT NULL AS b_first;
SELECT title, score = max(score) OVER () AS tied, keyword_rank, semantic_rank FROM kb_hybrid_search('moose', 'ties', query_embedding => near_b());
SELECT title, score = max(score) OVER () AS tied, keyword_rank, semantic_rank FROM kb_search('moose', 'ties', query_embedding => near_b());

-- A chunk that waits for its vector does not lose to a neighbor for that.
SET kb_rag.workers = 0;
SELECT kb_create('late', model => 'fake/test', dimensions => 64, text_config => 'english') IS NOT NULL AS late;
SELECT kb_add('late', 'Herons fish in the pond, and herons nest in trees.', 'Neighbour') IS NOT NULL
    AND kb_add('late', 'Ducks swim in the pond.', 'Ducks') IS NOT NULL AS added;
SELECT kb_configure('late', embed => 'queued');
SELECT kb_add('late', 'Herons, herons, herons!', 'Waiting') IS NOT NULL AS added;
SELECT title, keyword_rank, semantic_rank, similarity IS NULL AS waits FROM kb_search('herons', 'late');
SELECT title, keyword_rank, semantic_rank, similarity IS NULL AS waits FROM kb_hybrid_search('herons', 'late');
SELECT title FROM kb_search('herons', 'late', match_threshold => 0.99);

-- The first rows do not depend on how many are asked for: a hundred documents of three chunks.
SELECT kb_create('many', model => 'fake/test', dimensions => 16, text_config => 'english', chunk_size => 60, chunk_overlap => 0)
    IS NOT NULL AS many;
INSERT INTO kb_many.document (content)
SELECT string_agg(format('Word%s stands near word%s, and word%s near word%s here.', n % 7, n * part % 11, n % 13, n * part % 17), E'\n\n' ORDER BY part)
FROM generate_series(1, 100) n, generate_series(1, 3) part GROUP BY n;
SELECT count(*) AS chunks FROM kb_many.chunk;
CREATE FUNCTION first_rows(call text) RETURNS TABLE (searches bigint, rows bigint, prefixes bool) LANGUAGE plpgsql AS $$
DECLARE
    question text;
    most uuid[];
    found uuid[];
    wanted int;
BEGIN
    SELECT 0, 0, true INTO searches, rows, prefixes;
    FOREACH question IN ARRAY ARRAY['word1', 'word2 near word5', 'word3 word4 word11 word16', 'where does word0 stand?', 'nothing like it'] LOOP
        EXECUTE format('SELECT array(SELECT chunk_id FROM ' || call || ')', question, 100) INTO most;
        FOREACH wanted IN ARRAY ARRAY[1, 5, 50, 80, 81, 100, 300] LOOP
            EXECUTE format('SELECT array(SELECT chunk_id FROM ' || call || ')', question, wanted) INTO found;
            searches := searches + 1;
            rows := rows + cardinality(found);
            prefixes := prefixes AND found[:100] = most[:wanted];
        END LOOP;
    END LOOP;
    RETURN NEXT;
END
$$;
SELECT arguments, f.* FROM (VALUES
    ('kb_search(%L, ''many'', match_count => %s)'),
    ('kb_hybrid_search(%L, ''many'', match_count => %s)'),
    ('kb_search(%L, ''many'', ''semantic'', match_count => %s)'),
    ('kb_search(%L, ''many'', ''keyword'', match_count => %s)'),
    ('kb_search(%L, ''many'', match_count => %s, max_per_document => 1)'),
    ('kb_hybrid_search(%L, ''many'', match_count => %s, max_per_document => 1)'),
    ('kb_search(%L, ''many'', ''semantic'', match_count => %s, max_per_document => 1)'),
    ('kb_search(%L, ''many'', ''keyword'', match_count => %s, max_per_document => 1)'),
    ('kb_search(%L, ''many'', match_count => %s, match_threshold => 0.3)'),
    ('kb_search(%L, ''many'', match_count => %s, ranker => ''ts_rank'')')
) t (arguments), first_rows(arguments) f;

DROP FUNCTION first_rows, near_b, same_as_keywords;
SELECT count(kb_drop(name)) FROM kb_list();
