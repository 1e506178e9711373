-- Words as people write them: identifiers, parts of names, forms of letters.
SET client_min_messages = warning;
SELECT kb_create('words', embed => 'off', text_config => 'english') IS NOT NULL;

-- A text, what people type for it, and another text of the same kind that is not meant.
CREATE TABLE kind (text text, question text, other text);
INSERT INTO kind VALUES
    ('TCP/IP', 'TCP', 'UDP/IP'),
    ('input/output', 'output', 'input/error'),
    ('chart.png', 'chart', 'photo.png'),
    ('/img/2024/chart.png', 'chart.png', '/img/2024/photo.png'),
    ('receipt-2024.xlsx', 'receipt 2024', 'receipt-2023.xlsx'),
    ('C:\Users\anna\report.docx', 'report.docx', 'C:\Users\anna\letter.docx'),
    ('https://www.example.org/manual/setup?x=1#top', 'manual setup', 'https://www.example.org/manual/update?x=1#top'),
    ('jane.roe@example.com', 'jane roe', 'john.doe@example.com'),
    ('RX-007', '007', 'RX-008'),
    ('RX-007', 'RX007', 'RX-008'),
    ('CD-9876/1', 'CD9876', 'CD-6789/1'),
    ('CD-9876/1', 'cd98761', 'CD-9876/2'),
    ('CVE-2023-4711', 'cve 2023 4711', 'CVE-2023-4712'),
    ('ISO 9001', 'ISO9001', 'ISO 9002'),
    ('ISO9001', 'iso 9001', 'ISO9002'),
    ('M6x30', 'M6', 'M5x30'),
    ('loadPageByName', 'load page by name', 'loadFormByName'),
    ('load page by name', 'loadPageByName', 'load form by name'),
    ('XMLReader', 'xml reader', 'XMLWriter'),
    ('page_cache_size', 'pageCacheSize', 'page_cache_time'),
    ('MAX_OPEN_FILES', 'max open files', 'MAX_OPEN_PIPES'),
    ('json.dumps.indent', 'dumps indent', 'json.loads.indent'),
    ('io::stdin::Lines', 'stdin lines', 'io::stdout::Lines'),
    ('node->parent', 'node.parent', 'node->child'),
    ('Map<Key>', 'key', 'Map<Value>'),
    ('check-out', 'checkout', 'check-in'),
    ('checkout', 'check-out', 'turnout'),
    ('checkout', 'check out', 'turnout'),
    ('stopped.Then', 'stopped', 'started.Then'),
    ('row -5678', '5678', 'row -8765'),
    ('v3.11.2', '3.11.2', 'v3.12.2'),
    ('v3.11.2', '3.11', 'v3.12.2'),
    ('3.11.2', 'v3.11.2', '3.11.3'),
    ('4,500,000', '4500000', '4,600,000'),
    ('4500000', '4.500.000', '4600000'),
    ('4 500 000', '4,500,000', '4 600 000'),
    ('16mm', '16 mm', '17mm'),
    ('16 mm', '16mm', '17 mm'),
    ('Ubuntu24を使う', 'Ubuntu 24', 'Ubuntu22を使う'),
    ('Vue.js', 'vuejs', 'Ember.js'),
    ('C++', 'c++', 'C#'),
    ('.NET', '.net', 'NET'),
    ('Q&A', 'q&a', 'Q&B'),
    ('#1234', '1234', '#1235'),
    ('--no-cache', 'no cache', '--no-color'),
    ('0x8007000E', '8007000e', '0x8007000F'),
    ('vitamin A', 'vitamin A', 'vitamin'),
    ('crème brûlée', 'creme brulee', 'crème fraîche'),
    ('creme brulee', 'crème brûlée', 'creme fraiche'),
    ('Ünal', U&'U\0308nal', 'Ural'),
    ('soft' || U&'\00AD' || 'ware', 'software', 'soft'),
    ('型番はＸＹＺ－４５６です', 'XYZ-456', '型番はＸＹＺ－４５７です'),
    ('ガイド', 'ｶﾞｲﾄﾞ', 'ガイア'),
    ('الموظفى', 'الموظفي', 'المدير');
INSERT INTO kb_words.document (source_key, content)
SELECT 'text ' || row_number() OVER (), 'The entry ' || text || ' is listed in the plan of the workshop.' FROM kind
UNION ALL
SELECT 'other ' || row_number() OVER (), 'The entry ' || other || ' is listed in the plan of the workshop.' FROM kind;
SELECT count(*) FROM kb_words.document;

-- Those whose text does not come before the other: none.
SELECT k.text, k.question, s.score, o.score
FROM (SELECT *, row_number() OVER () AS n FROM kind) k
LEFT JOIN LATERAL (
    SELECT score FROM kb_search(k.question, 'words', 'keyword', match_count => 200) WHERE source = 'text ' || k.n
) s ON true
LEFT JOIN LATERAL (
    SELECT score FROM kb_search(k.question, 'words', 'keyword', match_count => 200) WHERE source = 'other ' || k.n
) o ON true
WHERE s.score IS NULL OR s.score <= o.score;

-- The word as it is written counts more than its parts.
INSERT INTO kb_words.document (source_key, content) VALUES
    ('exact', 'The entry zeta-omega is here.'), ('apart', 'The entry zeta is here, and omega.');
SELECT source FROM kb_search('zeta-omega', 'words', 'keyword') WHERE source IN ('exact', 'apart');

-- Without weight parts find nothing, and nothing is rebuilt.
SELECT max(keyword_number) AS last FROM kb_words.chunk \gset
SELECT kb_configure('words', part_weight => 0);
SELECT max(keyword_number) = :last FROM kb_words.chunk;
SELECT count(*) FROM kb_search('getting xml reader pages', 'words', 'keyword') WHERE source LIKE 'text%' AND content LIKE '%XMLReader%';
SELECT kb_configure('words', part_weight => 0.25);
SELECT count(*) FROM kb_search('getting xml reader pages', 'words', 'keyword') WHERE source LIKE 'text%' AND content LIKE '%XMLReader%';

-- Phrases and excluded words mean the word as written; bigrams stand where they are in the text.
SELECT count(*) FROM kb_search('"reader"', 'words', 'keyword', syntax => 'web');
SELECT count(*) FROM kb_search('"xmlreader is listed"', 'words', 'keyword', syntax => 'web');
SELECT count(*) FROM kb_search('entry -reader', 'words', 'keyword', match_count => 200, syntax => 'web') WHERE content LIKE '%XMLReader%';
SELECT count(*) FROM kb_search('"Ubuntu24を使う is listed"', 'words', 'keyword', syntax => 'web');
SELECT count(*) FROM kb_search('"is listed Ubuntu24を使う"', 'words', 'keyword', syntax => 'web');

-- Parts are not counted in the length, and title, heading and text stand apart.
SELECT kb_rag.word_count(kb_rag.to_tsvector('english', 'getUserById loads', 2)) AS words,
    length(kb_rag.to_tsvector('english', 'getUserById loads', 2)) AS lexemes;
SELECT kb_rag.chunk_tsv('simple', 'one', 'two', 'three', 2, true);
SELECT replace(kb_rag.to_tsvector('english', 'Das Café getUserById, 用PostgreSQL18搜索文', 2)::text, U&'\0001', '~');
SELECT replace(kb_rag.to_tsvector('english', 'Das Café', 2, false)::text, U&'\0001', '~');

-- What worked before works: parts are left out where a tsvector has no room for them.
SELECT length(kb_rag.to_tsvector('simple', string_agg('a' || n || '-b' || n || '/c' || n, ' '), 2)) > 60000
FROM generate_series(1, 21500) n;
SELECT length(kb_rag.to_tsvector('simple', repeat('aB1-', 200000), 2)) > 0;

-- Only words of one letter.
SELECT source LIKE 'text%' FROM kb_search('A', 'words', 'keyword');

-- A view into it.
SELECT lexeme, kind, position, source, dictionary, start_char, end_char
FROM kb_lexemes('The Café (getUserById) in 東京都.', 'words');
SELECT * FROM kb_lexemes('the', 'words');
SELECT * FROM kb_highlight('Call getUserById in the café: users pay.', 'cafe user', 'words', start_sel => '<b>', stop_sel => '</b>');
SELECT snippet FROM kb_highlight('Call getUserById.', 'user -call', 'words', start_sel => '[', stop_sel => ']', syntax => 'web');
SELECT state, message FROM error_of($$SELECT * FROM kb_lexemes(NULL, 'words')$$);
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_highlight('x', 'x', 'wordz')$$);

SELECT kb_drop('words');
DROP TABLE kind;
