-- Sizes in tokens of the default model, and the model's limit.
SET client_min_messages = warning;

-- Words of one token each.
SELECT * FROM kb_chunk('one two three four five six seven eight', 3, 1, unit => 'token');
-- A word of several tokens is not divided if it fits.
SELECT content FROM kb_chunk('unbelievable antidisestablishmentarianism transcendentalists', 12, 0, unit => 'token');
SELECT content FROM kb_chunk('antidisestablishmentarianism', 3, 0, unit => 'token');
-- A text that fits is one chunk; other scripts have more tokens per character.
SELECT ordinal, length(content) FROM kb_chunk(repeat('word ', 254), 254, 40, unit => 'token');
SELECT ordinal, length(content) FROM kb_chunk(repeat('word ', 255), 254, 0, unit => 'token');
SELECT ordinal, content FROM kb_chunk('春天来了。花儿开了！鸟儿在唱歌？孩子们去公园玩。', 12, 0, unit => 'token');
SELECT count(*), max(length(content)) FROM kb_chunk(repeat('가나다라 ', 100), 100, 0, unit => 'token');
-- Markdown and code in tokens.
SELECT content, heading FROM kb_chunk(E'# One\n\nSome words here.\n\n```\na b c d e f g\n```\n\n# Two\n\nMore words there.', 14, 4, unit => 'token', strategy => 'markdown');

-- Those of a model of a provider are estimated, by script, as kb_estimate does. A NOTICE says so where the model or the sizes change.
SET client_min_messages = notice;
SELECT kb_provider_set('lab22', kind => 'openai', base_url => 'https://llm.invalid/v1');
SELECT FROM kb_create('remote22', model => 'lab22/m', dimensions => 8, chunk_unit => 'token', chunk_size => 20, chunk_overlap => 4);
SELECT kb_configure('remote22', title_weight => 3);
SELECT kb_configure('remote22', chunk_size => 24);
SET client_min_messages = warning;
SELECT state, message, hint FROM error_of($$SELECT kb_configure('remote22', chunk_size => 10001)$$);
SELECT state, message, hint FROM error_of($$SELECT kb_configure('remote22', chunk_overlap => 24)$$);
INSERT INTO kb_remote22.document (source_key, content) VALUES
    ('1 English', repeat('The library opens at nine in the morning and closes at six. ', 12)),
    ('2 German', repeat('Die Bibliothek öffnet um neun Uhr und schließt am Abend. ', 12)),
    ('3 Russian', repeat('Библиотека открывается утром и закрывается вечером. ', 12)),
    ('4 Chinese', repeat('图书馆上午九点开门，下午六点关门。', 12)),
    ('5 one word', repeat('abcdefghij', 60));
SELECT d.source_key, count(*) AS chunks, max(length(c.content)) AS longest, bool_and(c.token_count IS NULL) AS are_uncounted
FROM kb_remote22.document d JOIN kb_remote22.chunk c ON c.document_id = d.id GROUP BY d.source_key ORDER BY d.source_key;
SELECT kb_reconcile('remote22');
SELECT tokens <= 24 * chunks AS fit FROM kb_estimate('remote22');
SELECT kb_configure('remote22', chunk_unit => 'char', chunk_size => 500, chunk_overlap => 50);
SELECT count(*) AS chunks FROM kb_remote22.chunk;
SELECT kb_drop('remote22'), kb_provider_drop('lab22');

-- If the tokens of a model are not known, they cannot be counted.
SELECT * FROM error_of($$SELECT kb_create('t', model => 'fake/test', chunk_size => 100, chunk_overlap => 20, chunk_unit => 'token')$$);
SELECT * FROM error_of($$SELECT kb_create('t', chunk_unit => 'token')$$);
SELECT * FROM error_of($$SELECT kb_create('t', chunk_size => 100, chunk_unit => 'token')$$);

-- token_count is the number used to limit the chunk.
SELECT kb_create('t', chunk_size => 20, chunk_overlap => 5, chunk_unit => 'token') IS NOT NULL AS created;
SELECT chunk_size, chunk_overlap, chunk_unit FROM kb_list() WHERE name = 't';
INSERT INTO kb_t.document (content) VALUES (repeat('The quick brown fox jumps over the lazy dog, and on. ', 10));
SELECT ordinal, token_count, token_count <= 20 AS fits FROM kb_t.chunk ORDER BY ordinal;
SELECT kb_drop('t');

-- In every script, the model reads the whole of every chunk, including title and heading. Without its last word (or two
-- characters, if it has no white space) the vector would differ.
SELECT kb_create('scripts', chunk_size => 254, chunk_overlap => 50, chunk_unit => 'token') IS NOT NULL AS created;
CREATE TEMP TABLE script (n serial, title text, content text, mime_type text);
INSERT INTO script (title, content, mime_type) VALUES
    ('Chinese', repeat('今天天气很好，我们一起去公园散步，看花看鸟。', 60), NULL),
    ('Japanese', repeat('昨日は雨が降っていたので、家で本を読んでいました。', 60), NULL),
    ('Thai', repeat('วันนี้อากาศดีมาก เราไปเดินเล่น ที่สวนสาธารณะ ', 60), NULL),
    ('Korean', repeat('오늘은 날씨가 좋아서 공원에 갔습니다. ', 80), NULL),
    ('Russian', repeat('Сегодня хорошая погода, и мы пошли гулять в парк. ', 60), NULL),
    ('Emoji', repeat('👍🏽 🇩🇪 👩‍👩‍👧 :-) ', 200), NULL),
    ('Hexadecimal', (SELECT string_agg(substr(md5(n::text), 1, 16), ' ') FROM generate_series(1, 200) n), NULL),
    ('URLs', (SELECT string_agg('https://example.org/' || md5(n::text) || '?q=a%20b&page=' || n, E'\n') FROM generate_series(1, 60) n), NULL),
    ('Markdown', E'# ' || repeat('A long heading ', 30) || E'\n\n' || repeat('今天天气很好，我们一起去公园散步，看花看鸟。', 60), 'text/markdown'),
    (repeat('A long title ', 40), repeat('Words in a row, and more of them. ', 100), NULL);
INSERT INTO kb_scripts.document (title, content, mime_type) SELECT title, left(content, length(content) * 2 / 5), mime_type FROM script ORDER BY n;
SELECT d.title, count(*) AS chunks, max(c.token_count) <= 254 AS within_model,
    bool_or(c.token_count >= 150 OR length(c.content) >= 900) AS used
FROM kb_scripts.document d JOIN kb_scripts.chunk c ON c.document_id = d.id
WHERE length(d.title) < 100 GROUP BY d.id, d.title ORDER BY d.id;
SELECT count(*) > 25 AS many,
    count(*) FILTER (WHERE e.embedding = kb_embed(concat_ws(E'\n', d.title, shorter.content), input_type => 'document')) AS cut
FROM kb_scripts.document d JOIN kb_scripts.chunk c ON c.document_id = d.id JOIN kb_scripts.embedding e ON e.chunk_id = c.id
CROSS JOIN LATERAL (SELECT coalesce(nullif(regexp_replace(c.content, '\s+\S+$', ''), c.content), left(c.content, -2)) AS content) shorter
WHERE length(d.title) < 100 AND c.heading IS NULL;
-- A long title or heading leaves three quarters of the token budget to the text.
SELECT length(d.title) AS title, length(c.heading) AS heading, c.token_count BETWEEN 150 AND 254 AS roomy
FROM kb_scripts.document d JOIN kb_scripts.chunk c ON c.document_id = d.id
WHERE c.ordinal = 0 AND (length(d.title) > 100 OR c.heading IS NOT NULL) ORDER BY d.id;
-- All of the text is in some chunk, at its offsets.
SELECT count(*) FILTER (WHERE c.content <> substr(d.content, c.start_char + 1, c.end_char - c.start_char)) AS elsewhere,
    count(*) FILTER (WHERE c.start_char > before AND substr(d.content, before + 1, c.start_char - before) ~ '\S') AS lost
FROM (SELECT *, lag(end_char, 1, 0) OVER (PARTITION BY document_id ORDER BY ordinal) AS before FROM kb_scripts.chunk) c
JOIN kb_scripts.document d ON d.id = c.document_id;
-- With a size in characters the same holds, except in a language that the model cannot read: its chunks keep the size.
SELECT kb_create('sizes', embed => 'off') IS NOT NULL AS created;
INSERT INTO kb_sizes.document (title, content, mime_type) SELECT title, content, mime_type FROM script ORDER BY n;
INSERT INTO kb_sizes.document (title, content) VALUES
    ('German', repeat('Heute ist schönes Wetter, und wir gehen im Park spazieren. ', 60)), ('Vietnamese', repeat('Hôm nay trời đẹp, chúng tôi đi dạo trong công viên. ', 60)),
    ('English and some Russian', repeat('The weather is fine today, and we went for a walk. Сегодня. ', 60));
SELECT left(d.title, 40) AS title, count(*) AS chunks, max(length(c.content)) <= 1000 AS within_size, max(length(c.content)) > 900 AS keeps_size, max(c.token_count) <= 254 AS within_model
FROM kb_sizes.document d JOIN kb_sizes.chunk c ON c.document_id = d.id GROUP BY d.id, d.title ORDER BY d.id;
SELECT kb_drop('scripts'), kb_drop('sizes');

-- none makes one chunk, however much of it the model reads.
SELECT kb_create('one', chunk_strategy => 'none') IS NOT NULL AS created;
INSERT INTO kb_one.document (content) VALUES (repeat('word ', 1000));
SELECT ordinal, token_count FROM kb_one.chunk;
SELECT kb_drop('one');
