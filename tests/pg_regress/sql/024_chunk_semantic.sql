-- semantic: chunks end where the topic changes.
CREATE TABLE topic (number int GENERATED ALWAYS AS IDENTITY (START 0 MINVALUE 0), content text);
INSERT INTO topic (content) VALUES
    ('Bread needs little more than flour, water, salt and time. The dough is mixed until no dry flour is left and then rests for half an hour. After that it is folded every thirty minutes, which makes the gluten strong without kneading. Overnight in a cool place the yeast works slowly and the taste grows. In the morning the loaf is shaped, dusted with flour and set into a basket. The oven must be as hot as it can get, with a pan of water for steam. After forty minutes the crust is dark and sounds hollow when tapped.'),
    ('A tenant may end the lease with three months of notice. The letter must be signed by everybody who signed the contract. The landlord returns the deposit within six months after the keys were handed over. He may keep what repairs cost that go beyond ordinary wear. Small holes from nails in the wall are ordinary wear, a broken window is not. If both sides disagree about the state of the flat, a written record of the handover decides. The rent may be raised only once in fifteen months and must be justified in writing.'),
    ('Glaciers are rivers of ice that flow under their own weight. Snow that falls high on the mountain is pressed together year after year until it becomes ice. The ice creeps downhill, faster in the middle than at the sides, and carries rocks along. At its lower end it melts and leaves the rubble behind as a moraine. Most glaciers of the Alps have been shrinking for a century and a half. Scientists drill cores from them to read the climate of the past in layers of dust and air bubbles. When a glacier is gone, the rivers below it run low in late summer.'),
    ('Penguins cannot fly, but they swim faster than most fish. Their wings have become stiff paddles and their bones are heavy. Emperor penguins breed in the middle of the Antarctic winter. The male keeps the single egg on his feet under a fold of skin for two months. Hundreds of birds stand close together and take turns in the warm centre. When the chick hatches, the mother returns from the sea with food. In spring the young birds lose their down and go into the water for the first time.'),
    ('An index makes a database find rows without reading the whole table. The usual kind is a balanced tree whose leaves are sorted by key. A query for one value walks from the root to a leaf in a few page reads. Range queries then follow the links from leaf to leaf. Every index must be kept up to date, so each insert writes more pages. Columns that are seldom used in conditions should therefore have none. The planner chooses between an index and a full scan by estimating how many rows match.'),
    ('A marathon is run with patience. Whoever starts too fast pays for it after thirty kilometres, when the stores of sugar in the muscles are empty. Good runners train slowly most of the time and hard only twice a week. The longest run comes three weeks before the race. After that the training is cut back so that the legs recover. On the day itself one drinks at every station and eats something sweet each hour. The last two kilometres are run with the head alone.');
-- One continuous text: no paragraph marks where a topic ends.
SELECT string_agg(content, ' ' ORDER BY number) AS text FROM topic \gset
SELECT c.ordinal, left(c.content, 40) AS begins, c.content = t.content AS whole_topic
FROM kb_chunk(:'text', 2000, 200, strategy => 'semantic') c LEFT JOIN topic t ON t.number = c.ordinal;
-- By size alone the cuts are elsewhere.
SELECT count(*) FILTER (WHERE t.content IS NOT NULL) AS whole_topics
FROM kb_chunk(:'text', 2000, 200) c LEFT JOIN topic t ON t.content = c.content;
-- The size also limits chunks within a topic, and a text that fits is one chunk.
SELECT count(*) > 6 AS more, max(length(content)) <= 300 AS within_size FROM kb_chunk(:'text', 300, 0, strategy => 'semantic');
SELECT count(*) FROM kb_chunk(:'text', 10000, 0, strategy => 'semantic');
SELECT count(*) FROM kb_chunk('', strategy => 'semantic');
-- A text on one topic is divided only by size.
SELECT max(n) FROM topic t, LATERAL (SELECT count(*) AS n FROM kb_chunk(t.content, length(t.content) - 1, 0, strategy => 'semantic')) c;
-- Sizes in tokens.
SELECT count(*) FROM kb_chunk(:'text', 200, 40, unit => 'token', strategy => 'semantic');

-- In a base the sentences are embedded by the base's own model.
SET client_min_messages = warning;
SELECT kb_create('topics', chunk_size => 2000, chunk_strategy => 'semantic') IS NOT NULL AS created;
INSERT INTO kb_topics.document (content) VALUES (:'text');
SELECT c.ordinal, c.content = t.content AS whole_topic, c.token_count FROM kb_topics.chunk c LEFT JOIN topic t ON t.number = c.ordinal ORDER BY c.ordinal;
SELECT kb_drop('topics');
SELECT kb_create('topics', model => 'fake/test', dimensions => 8, chunk_size => 500, chunk_strategy => 'semantic') IS NOT NULL AS created;
INSERT INTO kb_topics.document (content) VALUES (:'text');
SELECT count(*) > 1 AS several, max(length(content)) <= 500 AS within_size FROM kb_topics.chunk;
SELECT kb_drop('topics');
DROP TABLE topic;
