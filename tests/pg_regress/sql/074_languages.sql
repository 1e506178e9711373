-- Languages: a configuration per base and per document, and text without spaces as bigrams.
SET client_min_messages = warning;
SELECT l, kb_rag.text_config(l, 'public.own') FROM (VALUES ('de'), ('de-AT'), ('pt_BR'), ('German'), ('Deutsch'), ('FRANÇAIS'), ('ja'), ('zh-Hans'), (''), (NULL), ('klingon')) t (l);

SELECT kb_rag.to_tsvector('english', 'Storing documents');
SELECT kb_rag.to_tsvector('english', '用PostgreSQL搜索文档。');
SELECT kb_rag.to_tsvector('english', 'サーバーを restarting する'), kb_rag.to_tsvector('english', '데이터베이스'), kb_rag.to_tsvector('english', 'ภาษาไทย');
SELECT kb_rag.to_tsvector('simple', NULL), kb_rag.to_tsvector('simple', ''), kb_rag.to_tsvector(NULL, 'x');
SELECT kb_rag.to_tsvector('simple', repeat('知识库', 20000)) IS NOT NULL AS long_text;

SELECT kb_create('mixed', model => 'fake/test', dimensions => 8, text_config => 'english') IS NOT NULL AS created;
INSERT INTO kb_mixed.document (title, content, language) VALUES
    ('en', 'The houses were running late.', NULL),
    ('de', 'Die Häuser wurden verkauft.', 'de'),
    ('fr', 'Les chevaux mangent les pommes.', 'fr-CA'),
    ('xx', 'Unknown tongues are english.', 'xx');
-- Without parts: the stemmer of PostgreSQL 18 makes the same lexeme of ae and of a with an umlaut, those before do not.
SELECT title, text_config, without_parts(tsv) AS tsv FROM kb_mixed.chunk c JOIN kb_mixed.document d ON d.id = c.document_id ORDER BY title;
SELECT key AS text_config, sum(value::int8) AS chunks FROM kb_mixed.keyword_segment, jsonb_each_text(configs) GROUP BY key ORDER BY 1;
SELECT sum(sign * chunks) AS chunks, sum(sign * length) AS length FROM kb_mixed.keyword_segment;
-- A query is parsed in every language of the base.
SELECT q, array(SELECT title FROM kb_search(q, 'mixed', 'keyword', syntax => 'web') ORDER BY score DESC) AS found
FROM (VALUES ('house'), ('Haus'), ('cheval'), ('verkaufen'), ('tongue'), ('"Häuser wurden"'), ('Haus -verkauft'), ('pomme or house')) t (q);

-- A different language: other lexemes, the same rows and vectors.
CREATE TEMP TABLE before AS SELECT c.id, e.xmin::text AS version FROM kb_mixed.chunk c JOIN kb_mixed.embedding e ON e.chunk_id = c.id;
UPDATE kb_mixed.document SET language = 'en' WHERE title = 'de';
SELECT text_config, tsv FROM kb_mixed.chunk c JOIN kb_mixed.document d ON d.id = c.document_id WHERE title = 'de';
SELECT count(*) AS same FROM before JOIN kb_mixed.chunk c USING (id) JOIN kb_mixed.embedding e ON e.chunk_id = c.id AND e.xmin::text = before.version;
SELECT key AS text_config, sum(value::int8) AS chunks FROM kb_mixed.keyword_segment, jsonb_each_text(configs) GROUP BY key HAVING sum(value::int8) <> 0 ORDER BY 1;
SELECT sum(sign * chunks) AS chunks, sum(sign * length) AS length FROM kb_mixed.keyword_segment;
SELECT text_config, count(*), sum(length) FROM kb_mixed.chunk GROUP BY text_config ORDER BY 1;
SELECT array(SELECT title FROM kb_search('Haus', 'mixed', 'keyword')) AS no_longer;
-- The base's own configuration, if the language has none.
UPDATE kb_mixed.document SET language = NULL WHERE title = 'fr';
SELECT DISTINCT text_config FROM kb_mixed.chunk ORDER BY 1;
-- A language without a configuration is reported once a statement, whatever its rows; one that is written without spaces, is
-- blank or stays the same is not.
INSERT INTO kb_mixed.document (content, language) SELECT 'Row ' || n, CASE WHEN n % 2 = 0 THEN 'Klingon' ELSE 'xx' END FROM generate_series(1, 5) n;
UPDATE kb_mixed.document SET language = 'tlh' WHERE language = 'Klingon';
UPDATE kb_mixed.document SET content = content || '.', language = 'tlh' WHERE language = 'tlh';
INSERT INTO kb_mixed.document (content, language) VALUES ('Text.', ''), ('Text.', ' '), ('Text.', NULL), ('Text.', 'Japanese'), ('Text.', '中文'), ('Text.', 'español');
INSERT INTO kb_mixed.document (content, language) VALUES ('Text.', 'xx');
INSERT INTO kb_mixed.document (content, language) VALUES ('Text.', repeat('long ', 1000));
DO $$ BEGIN FOR n IN 1..3 LOOP INSERT INTO kb_mixed.document (content, language) VALUES ('Text.', 'yy'); END LOOP; END $$;
-- kb_add with a language. Where none is given, a document keeps its own.
SELECT kb_add('mixed', 'Die Häuser.', source_key => 'haus', language => 'Deutsch') AS id \gset
SELECT kb_add('mixed', 'Die Häuser.', source_key => 'haus') = :'id' AS same_id;
SELECT d.language, c.text_config, without_parts(c.tsv) AS tsv, c.metadata FROM kb_mixed.chunk c JOIN kb_mixed.document d ON d.id = c.document_id WHERE d.id = :'id';
SELECT kb_add('mixed', 'Die Häuser.', source_key => 'haus', language => 'fr') = :'id' AS same_id;
SELECT kb_add('mixed', 'Die neuen Häuser.', source_key => 'haus') = :'id' AS same_id;
SELECT d.language, c.text_config, c.content FROM kb_mixed.chunk c JOIN kb_mixed.document d ON d.id = c.document_id WHERE d.id = :'id';
SELECT kb_add('mixed', 'Die Häuser.', source_key => 'haus', language => 'Klingon') = :'id' AS same_id;
SELECT d.language, c.text_config FROM kb_mixed.chunk c JOIN kb_mixed.document d ON d.id = c.document_id WHERE d.id = :'id';
SELECT kb_reconcile('mixed');
SELECT kb_drop('mixed');

-- Two hundred paragraphs in each of two languages; one of them answers the question. By keyword alone, in one base.
SELECT kb_create('asia', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_asia.document (source_key, language, content)
SELECT 'zh ' || a.n || ' ' || b.n, 'zh', a.t || b.t
FROM (VALUES
    (1, '这家图书馆位于老城区的中心，每天早上九点开门。'), (2, '春天的时候，山坡上开满了野花，游客很多。'),
    (3, '公司去年在南方建了一座新的工厂。'), (4, '他从小喜欢音乐，十岁开始学习钢琴。'),
    (5, '这条河流经三个省，最后流入大海。'), (6, '学校的食堂提供早餐、午餐和晚餐。'),
    (7, '昨天夜里下了一场大雪，道路都被封住了。'), (8, '科学家在沙漠里发现了一种新的植物。'),
    (9, '这部电影讲述了一个农民和他的儿子的故事。'), (10, '火车站旁边有一个很大的市场。'),
    (11, '医生建议他每天散步一个小时。'), (12, '古代的商人沿着这条路运送丝绸和茶叶。'),
    (13, '孩子们在公园里放风筝，老人们下棋。'), (14, '新的法律从明年一月开始实行。')) a (n, t),
    (VALUES
    (1, '当地居民对此非常高兴。'), (2, '许多人为此专门写了文章。'), (3, '这件事情引起了广泛的注意。'),
    (4, '以后的情况还不清楚。'), (5, '报纸对此作了详细的报道。'), (6, '他们计划再等两个月。'),
    (7, '天气对此有很大的影响。'), (8, '费用由市政府承担。'), (9, '参加的人数超过了预期。'),
    (10, '照片挂在入口处的墙上。'), (11, '一切都按照原来的计划进行。'), (12, '没有人知道真正的原因。'),
    (13, '周末的时候人特别多。'), (14, '邻近的城市也准备这样做。')) b (n, t);
INSERT INTO kb_asia.document (source_key, language, content) VALUES
    ('zh answer', 'zh', '如果收到的商品有损坏，您可以在十四天之内申请退款。退款会在五个工作日内退回到原来的银行卡。'),
    ('zh other', 'zh', '商品发货之后，您会收到一封带有运单号码的邮件。'),
    ('zh third', 'zh', '银行卡丢失以后，请立刻打电话通知银行。'),
    ('zh fourth', 'zh', '会员可以免费参加每个月的讲座。');
INSERT INTO kb_asia.document (source_key, language, content)
SELECT 'ja ' || a.n || ' ' || b.n, 'ja', a.t || b.t
FROM (VALUES
    (1, 'この図書館は駅の近くにあり、朝九時に開きます。'), (2, '春になると山の斜面に花が咲き、観光客が増えます。'),
    (3, '会社は昨年、南の地方に新しい工場を建てました。'), (4, '彼は子供のころから音楽が好きで、ピアノを習いました。'),
    (5, 'この川は三つの県を流れて海に注ぎます。'), (6, '学校の食堂では昼食と夕食が食べられます。'),
    (7, '昨夜は大雪が降り、道路が通れなくなりました。'), (8, '研究者は砂漠で新しい植物を見つけました。'),
    (9, 'この映画は農家の父と息子の物語です。'), (10, '駅の隣には大きな市場があります。'),
    (11, '医者は毎日一時間歩くように勧めました。'), (12, '昔の商人はこの道で絹とお茶を運びました。'),
    (13, '子供たちは公園で凧を揚げています。'), (14, '新しい法律は来年の一月から始まります。')) a (n, t),
    (VALUES
    (1, '住民はとても喜んでいます。'), (2, '多くの人がそれについて書きました。'), (3, 'この出来事は広く注目されました。'),
    (4, 'その後のことはまだ分かりません。'), (5, '新聞が詳しく伝えました。'), (6, 'あと二か月待つ予定です。'),
    (7, '天気の影響も大きいです。'), (8, '費用は市が負担します。'), (9, '参加者は予想より多くなりました。'),
    (10, '写真は入口の壁に掛かっています。'), (11, 'すべて計画どおりに進みました。'), (12, '本当の理由は誰も知りません。'),
    (13, '週末は特に混みます。'), (14, '隣の町でも同じことを考えています。')) b (n, t);
INSERT INTO kb_asia.document (source_key, language, content) VALUES
    ('ja answer', 'ja', 'パスワードを忘れた場合は、ログイン画面の「再設定」を押してください。登録したメールアドレスに手順が届きます。'),
    ('ja other', 'ja', 'メールアドレスは設定画面で変更できます。'),
    ('ja third', 'ja', 'ログインの履歴は三か月間保存されます。'),
    ('ja fourth', 'ja', '画面の明るさは端末の設定で変えられます。');
INSERT INTO kb_asia.document (source_key, content) VALUES
    ('ko answer', '주문한 상품을 취소하려면 배송이 시작되기 전에 고객 센터로 연락해 주세요.'),
    ('ko other', '고객 센터는 평일 아홉 시부터 여섯 시까지 운영합니다.'),
    ('th answer', 'หากลืมรหัสผ่าน ให้กดปุ่มตั้งรหัสผ่านใหม่ที่หน้าเข้าสู่ระบบ'),
    ('th other', 'ร้านเปิดทุกวันตั้งแต่เก้าโมงเช้าถึงหกโมงเย็น'),
    ('en answer', 'A forgotten password is reset on the login page.');
SELECT language, count(*) FROM kb_asia.document GROUP BY language ORDER BY 1;
SELECT q, array(SELECT source FROM kb_search(q, 'asia', 'keyword', 1, syntax => 'web')) AS best
FROM (VALUES
    ('东西坏了怎么退款？'), ('退款多久能退到银行卡？'), ('忘れたパスワードはどうすれば再設定できますか'), ('パスワードを忘れました'),
    ('상품 주문을 취소하고 싶어요'), ('ลืมรหัสผ่านต้องทำอย่างไร'), ('How is a forgotten password reset?'),
    ('"申请退款"'), ('银行卡 -退款'), ('"银行卡丢失"')
) t (q);
-- Without bigrams none would be found: PostgreSQL's parser treats a whole run as one word.
SELECT count(*) FROM kb_asia.chunk WHERE to_tsvector('english', content) @@ to_tsquery('english', '退款 | パスワード | 취소 | รหัสผ่าน');
SELECT kb_drop('asia');
