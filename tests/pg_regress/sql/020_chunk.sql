-- kb_chunk: every chunk is the substring at its offsets.
\set text 'The first sentence is here. The second one follows it. A third sentence ends this paragraph.\n\nAnother paragraph begins. It has two sentences.'
SELECT * FROM kb_chunk(:'text', 60, 20);
SELECT c.ordinal, c.content = substr(t.t, c.start_char + 1, c.end_char - c.start_char) AS at_offsets
FROM (SELECT :'text' AS t) t, kb_chunk(t.t, 60, 20) c;

-- A text that fits is one chunk; an empty or blank text has none.
SELECT * FROM kb_chunk('short text');
SELECT * FROM kb_chunk('');
SELECT * FROM kb_chunk(E' \n\t ');

-- Offsets count characters, not bytes, and graphemes stay whole.
-- Not aligned: psql of 15 treats such characters as wider.
\a
SELECT * FROM kb_chunk('Größe 👩‍👩‍👧 naïve 東京。京都。', 12, 0);
\a
SELECT * FROM kb_chunk('一二三。四五六！七八九？十。', 4, 0);

-- Markdown: no cut inside a fenced block that fits, and the heading path goes with each chunk.
SELECT * FROM kb_chunk(E'# Guide\n\nIntro text here.\n\n## Install\n\nRun this:\n\n```sh\nmake install\n\nmake test\n```\n\n## Use\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone.', 60, 10, strategy => 'markdown');

-- code: definitions keep their comments, and no line that fits is divided.
SELECT ordinal, content, heading FROM kb_chunk(E'import os\n\n# Reads all of it.\n@cached\ndef read(path):\n    with open(path) as file:\n        return file.read()\n\n\ndef write(path, text):\n    with open(path, "w") as file:\n        file.write(text)\n', 120, 0, strategy => 'code');

-- none: the whole text is one chunk, whatever the size.
SELECT ordinal, length(content) FROM kb_chunk(repeat('word ', 1000), 100, 10, strategy => 'none');

-- auto is text unless a MIME type or a file name says otherwise.
SELECT count(*) FROM kb_chunk(E'# A\n\nx', strategy => 'auto') WHERE heading IS NULL;

-- Immutable: usable in an index expression or a generated column.
SELECT provolatile FROM pg_proc WHERE proname = 'kb_chunk';

-- Invalid arguments.
SELECT * FROM error_of('SELECT * FROM kb_chunk(NULL)');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 0)');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', -5)');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 1000001)');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 100, 100)');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 100, -1)');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', unit => ''word'')');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', unit => ''token'')');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 255, 0, unit => ''token'')');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 100, 100, unit => ''token'')');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', 0, 0, unit => ''token'')');
SELECT * FROM error_of('SELECT * FROM kb_chunk(''x'', strategy => ''recursive'')');
