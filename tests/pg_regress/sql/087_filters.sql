-- Filters with operators: each operator, mistakes, and random filters against a definition in plain SQL.
SET client_min_messages = warning;
SET timezone = 'America/New_York';
SELECT kb_create('filtered', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
INSERT INTO kb_filtered.document (source_key, title, content, metadata)
SELECT key, title, 'A passage about ' || key, metadata FROM (VALUES
    ('a', 'Alpha', '{"year": 2020, "tags": ["x", "y"], "team": "red", "day": "2024-01-01", "size": {"width": 1}}'::jsonb),
    ('b', 'Beta', '{"year": 2024, "tags": ["y"], "team": "blue", "day": "2024-06-01T10:00:00+02:00", "size": {"width": 2.50}, "a.b": 7}'),
    ('c', NULL, '{"year": "2024", "team": null, "day": "soon"}'),
    ('d', 'Delta', '{}')) d (key, title, metadata);
CREATE FUNCTION found(filter text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    by_keyword text;
    by_meaning text;
BEGIN
    SELECT coalesce(string_agg(source, '' ORDER BY source), '') INTO by_keyword FROM kb_search('passage', 'filtered', 'keyword', 50, filter => filter::jsonb);
    SELECT coalesce(string_agg(source, '' ORDER BY source), '') INTO by_meaning FROM kb_search('passage', 'filtered', 'semantic', 50, filter => filter::jsonb);
    RETURN CASE WHEN by_keyword = by_meaning THEN by_keyword ELSE by_keyword || ' or ' || by_meaning END;
END
$$;
SELECT filter, found(filter) FROM unnest(ARRAY[
    '{"year": 2024}', '{"year": {"$eq": 2024.0}}', '{"year": {"$ne": 2024}}', '{"year": {"$gte": 2021}}', '{"year": {"$lt": 2024}}', '{"year": {"$gte": "2"}}',
    '{"year": {"$between": [2020, 2023]}}', '{"year": {"$gt": 2000, "$lt": 2022}}', '{"team": {"$in": ["red", "blue"]}}', '{"team": {"$nin": ["red"]}}', '{"team": {"$in": []}}', '{"team": {"$eq": null}}',
    '{"team": {"$exists": true}}', '{"team": {"$exists": false}}', '{"tags": {"$contains": "y"}}', '{"tags": {"$contains": ["x", "y"]}}', '{"tags": {"$eq": ["y"]}}', '{"tags.0": {"$eq": "y"}}',
    '{"team": {"$like": "b%"}}', '{"team": {"$like": "B%"}}', '{"team": {"$ilike": "B%"}}', '{"size": {"width": 1}}', '{"size.width": {"$gt": 1}}', '{"size.width": {"$eq": 2.5}}', '{"size.width": 1}', '{"size": {"$eq": {"width": 1.0}}}',
    '{"$path": ["a.b"], "$gte": 7}', '{"$path": ["size", "width"], "$lt": 2, "team": "red"}', '{"day": {"$gt": "2024-01-01"}}', '{"day": {"$gte": "2024-06-01T08:00Z"}}', '{"day": {"$gt": "2024-06-01T08:00:00Z"}}', '{"day": {"$lt": "t"}}',
    '{"$title": "Alpha"}', '{"$title": {"$exists": false}}', '{"$source": {"$in": ["c", "d"]}}', '{"$created_at": {"$gte": "2020-01-01"}}', '{"$updated_at": {"$lt": "2020-01-01"}}', '{"$title": {"$ne": "Alpha"}}', '{"$title": {"$like": "%eta"}}',
    '{"$or": [{"team": "red"}, {"year": "2024"}]}', '{"$and": [{"team": "red"}, {"year": "2024"}]}', '{"$not": {"team": "red"}}', '{"year": {"$not": {"$gte": 2021}}}', '{"$not": {"$or": [{"year": {"$gt": 2021}}, {"team": null}]}}', '{"$or": [{"$title": "Beta"}, {"tags": ["x"]}], "day": "2024-01-01"}', '{"$and": []}', '{"$or": []}']) filter;
SELECT filter, e.state, e.message, e.hint FROM unnest(ARRAY['[]', '{"a": {"$foo": 1}}', '{"$gte": 5}', '{"a": {"$gte": 5, "b": 1}}', '{"a": {"b": {"$gte": 5}}}', '{"a": {"$in": 5}}', '{"a": {"$gt": true}}', '{"a": {"$between": [1]}}', '{"a": {"$exists": 1}}', '{"a": {"$not": 1}}',
    '{"a": {"$like": "x\\"}}', '{"a": {"$like": 5}}', '{"$created_at": {"$gt": "yesterday"}}', '{"$created_at": {"$like": "2024%"}}', '{"$title": {"$contains": "x"}}', '{"$title": 5}', '{"$or": {"a": 1}}', '{"$and": [1]}', '{"$path": ["a"]}', '{"$path": "a", "$gt": 1}']) filter,
    error_of(format('SELECT * FROM kb_search(''passage'', ''filtered'', filter => %L)', filter)) e;
SELECT (error_of(format('SELECT * FROM kb_search(''passage'', ''filtered'', filter => %L)', filter))).* FROM (VALUES
    (repeat('{"$not": ', 9) || '{"a": 1}' || repeat('}', 9)), ('{"$or": [' || repeat('{"a": {"$gt": 1}}, ', 99) || '{"a": {"$gt": 1}}]}'),
    ('{"a": {"$in": [' || repeat('1, ', 1000) || '1]}}'), ('{"a": {"$like": "' || repeat('%', 11) || '"}}')) f (filter);
SELECT found('{"year": {"$in": [' || repeat('1, ', 998) || '2020]}}');

-- All functions that have a filter; an agent's filter and the call's are joined by AND.
SELECT string_agg(source, '' ORDER BY source) FROM kb_hybrid_search('passage', 'filtered', 50, filter => '{"year": {"$lt": 2022}}');
SELECT string_agg(source, '' ORDER BY source) FROM kb_search_documents('passage', 'filtered', 50, filter => '{"year": {"$lt": 2022}}');
SELECT kb_context('passage', 'filtered', match_threshold => -1, style => 'source', filter => '{"year": {"$lt": 2022}}');
SELECT kb_attach_agent(kb_agent('young'), 'filtered', filter => '{"year": {"$gte": 2000}}') IS NOT NULL AS attached;
SELECT string_agg(source, '' ORDER BY source) FROM kb_search('passage', agent_id => kb_agent('young'));
SELECT string_agg(source, '' ORDER BY source) FROM kb_search('passage', agent_id => kb_agent('young'), filter => '{"$or": [{"team": "red"}, {"team": null}]}');
SELECT filter FROM kb_agent_list() WHERE agent_id = kb_agent('young');
SELECT (error_of($$SELECT kb_attach_agent(kb_agent('young'), 'filtered', filter => '{"year": {"$above": 2000}}')$$)).*;
-- A key that no chunk has is named, also where an operator demands it.
SET client_min_messages = notice;
SELECT count(*) FROM kb_search('passage', 'filtered', filter => '{"yaer": {"$gte": 2020}}');
SELECT count(*) FROM kb_search('passage', 'filtered', filter => '{"must": {"year": 2020}}');
SELECT count(*) FROM kb_search('passage', 'filtered', filter => '{"size.height": {"$gt": 1}, "year": {"$gt": 1}}');
SELECT count(*) FROM kb_search('passage', 'filtered', filter => '{"tags.0": {"$eq": "z"}, "day": {"$lt": "a"}, "team": {"$like": "x%"}}');
SELECT count(*) FROM kb_search('passage', 'filtered', filter => '{"tags": {"$gt": 5}}');
SELECT count(*) FROM kb_search('passage', 'filtered', filter => jsonb_build_object(repeat('a.', 1000000) || 'a', '{"$gt": 1}'::jsonb));
SET client_min_messages = warning;

-- Documents have the metadata that they were given, and what all their chunks have from the columns of the document.
SELECT string_agg(source, '' ORDER BY source) FROM kb_browse('filtered', filter => '{"year": {"$gte": 2021}}');
SELECT string_agg(source, '' ORDER BY source) FROM kb_browse(filter => '{"$or": [{"$title": {"$like": "%eta"}}, {"team": "red"}]}', match_count => 1);
SELECT string_agg(source, '' ORDER BY source) FROM kb_browse('filtered', filter => '{}', source_type => 'document'), (SELECT count(*) FROM kb_browse('filtered', filter => NULL)) n (all_of_them);
SELECT filter, e.message, e.hint FROM unnest(ARRAY['{"year": {"$above": 1}}', '{"$titel": "A"}', '{"$gte": 5}', '{"year": {"$or": [{"$lt": 1}]}}', '{"year": {"$title": "A"}}']) filter,
    error_of(format('SELECT * FROM kb_browse(''filtered'', filter => %L)', filter)) e;
CREATE ROLE kb_regress_reader;
SELECT kb_grant('filtered', 'kb_regress_reader', 'read');
BEGIN;
SELECT kb_delete_where('filtered', '{"year": {"$gte": 2021}}'), kb_delete_where('filtered', '{"year": {"$gte": 2021}}') AS again, kb_delete_where('filtered', '{"$title": "Alpha"}') AS by_title;
SELECT string_agg(source_key, '' ORDER BY source_key) AS documents, (SELECT count(*) FROM kb_filtered.chunk) AS chunks FROM kb_filtered.document;
SAVEPOINT before;
-- What chunks have of the document. A key that no document has would let all pass; chunks have headings, documents do not.
SELECT string_agg(source, '' ORDER BY source) FROM kb_browse('filtered', filter => '{"title": "Delta"}');
SELECT (SELECT count(*) FROM kb_search('passage', 'filtered', filter => '{"language": {"$ne": "de"}, "title": {"$ne": "Delta"}}')) AS found,
    (error_of($$SELECT kb_delete_where('filtered', '{"language": {"$ne": "de"}, "title": {"$ne": "Delta"}}')$$)).*;
UPDATE kb_filtered.document SET language = 'de' WHERE title = 'Delta';
SELECT count(*) AS other, count(*) = kb_delete_where('filtered', '{"language": {"$ne": "de"}}') AS deleted
FROM kb_filtered.document WHERE language IS DISTINCT FROM 'de';
SELECT string_agg(title, ' ') FROM kb_filtered.document;
SELECT call, e.message, e.detail FROM unnest(ARRAY[$$SELECT kb_delete_where('filtered', '{"heading": {"$nin": ["a"]}}')$$, $$SELECT kb_delete_where('filtered', '{"$not": {"tema": "red"}}')$$, $$SELECT kb_delete_where('filtered', '{"page": {"$exists": false}}')$$, $$SELECT kb_delete_where('filtered', '{"size.hieght": {"$ne": 1}}')$$, $$SELECT kb_delete_where('filtered', '{"$not": {"size": {"hieght": 1}, "team": "red"}}')$$, $$SELECT kb_delete_where('filtered', '{"$or": [{"$not": {"$not": {"tema": 1}}}, {"tema": {"$exists": true}}]}')$$]) call, error_of(call) e;
SELECT kb_delete_where('filtered', '{"tema": {"$exists": false}, "$title": "x"}') AS none, kb_delete_where('filtered', '{"tema": {"$ne": 1}}', everything => true) AS meant;
SELECT kb_delete_where('filtered', '{"tema": {"$ne": 1}}') AS of_none;
ROLLBACK TO before;
SELECT kb_delete_where('filtered', '{}', everything => true), (SELECT count(*) FROM kb_filtered.document) AS documents_before;
SELECT count(*) FROM kb_filtered.document;
ROLLBACK;
SELECT call, e.* FROM unnest(ARRAY[$$SELECT kb_delete_where('filtered', '{}')$$, $$SELECT kb_delete_where('filtered', '{}', NULL)$$, $$SELECT kb_delete_where('filtered', '{"$and": []}')$$, $$SELECT kb_delete_where('filtered', '{"$or": [{}]}')$$, $$SELECT kb_delete_where('filtered', '{"n": {"$nin": []}}')$$, $$SELECT kb_delete_where('filtered', NULL)$$, $$SELECT kb_delete_where('filtered', '[]')$$, $$SELECT kb_delete_where('filtered', '{"$gt": 1}')$$, $$SELECT kb_delete_where('missing', '{"a": 1}')$$]) call, error_of(call) e;
SET ROLE kb_regress_reader;
SELECT (error_of($$SELECT kb_delete_where('filtered', '{"year": 2024}')$$)).*;
RESET ROLE;
SELECT kb_grant('filtered', 'kb_regress_reader', 'write');
ALTER TABLE kb_filtered.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON kb_filtered.document USING (metadata @> '{"year": 2024}');
SET ROLE kb_regress_reader;
BEGIN;
SELECT kb_delete_where('filtered', '{}', everything => true) AS of_visible;
ROLLBACK;
RESET ROLE;
SELECT count(*) FROM kb_filtered.document;
DROP POLICY young ON kb_filtered.document;
ALTER TABLE kb_filtered.document DISABLE ROW LEVEL SECURITY;
SELECT kb_revoke('filtered', 'kb_regress_reader', 'read');
DROP ROLE kb_regress_reader;
-- Rows of an attached table are deleted in the table.
CREATE TABLE dish (id int PRIMARY KEY, body text, course text);
INSERT INTO dish VALUES (1, 'A soup', 'first');
SELECT kb_attach('dish', 'filtered', 'body', metadata => '{course}') IS NOT NULL AS attached;
SELECT (error_of($$SELECT kb_delete_where('filtered', '{"course": "first"}')$$)).*;
SELECT kb_detach('dish', 'filtered', delete_documents => true) IS NOT NULL AS detached;
DROP TABLE dish;

-- Ranges use an index on the number or time of a key.
CREATE INDEX year ON kb_filtered.chunk (kb_rag.filter_number(metadata, 'year'));
CREATE INDEX day ON kb_filtered.chunk (kb_rag.filter_time(metadata, 'day'));
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT FROM kb_filtered.chunk c WHERE kb_rag.filter_number(c.metadata, 'year') >= 2021;
EXPLAIN (COSTS off) SELECT FROM kb_filtered.chunk c WHERE kb_rag.filter_time(c.metadata, 'day') < '2024-05-01';
RESET enable_seqscan;
SELECT found('{"year": {"$gte": 2021}}'), found('{"day": {"$gte": "2024-06-01T08:00Z"}}');
SELECT text, kb_rag.iso_time(text) AT TIME ZONE 'UTC' AS time FROM unnest(ARRAY['2024-02-29', '2024-02-29T12:30+01:30', '2024-02-30', 'now', '']) text;

-- Dates in another form are not in the order of time.
INSERT INTO kb_filtered.document (source_key, content, metadata) VALUES
    ('year last', 'A passage.', '{"day": "03.04.2026"}'), ('month', 'A passage.', '{"day": "2024-05"}'), ('day', 'A passage.', '{"day": "2024-01-01"}');
SELECT source FROM kb_browse('filtered', filter => '{"day": {"$lt": "2025-01-01"}}') ORDER BY source;
SELECT kb_delete_where('filtered', '{"day": {"$lt": "2025-01-01"}}');
SELECT filter, e.* FROM unnest(ARRAY['{"day": {"$lt": "1.1.2027"}}', '{"day": {"$between": ["2024-01-01", "12/31/2024"]}}']) filter, error_of(format('SELECT kb_delete_where(%L, %L)', 'filtered', filter)) e;
SELECT source FROM kb_browse('filtered', filter => '{"day": "03.04.2026"}');
-- A notice for a filter that no document can pass, as in searches.
SET client_min_messages = notice;
SELECT kb_delete_where('filtered', '{"dya": "03.04.2026"}'), kb_delete_where('filtered', '{"day": 7}') AS number, kb_delete_where('filtered', '{"day": {"gte": "2026"}}') AS operator, kb_delete_where('filtered', '{"day": "2031-01-01"}') AS told_nothing;
-- Chunks have the key "page", documents do not; a key is looked for once a session.
SELECT source FROM kb_browse('filtered', filter => '{"pages": 1}');
SELECT source FROM kb_browse('filtered', filter => '{"days": 1}');
SELECT kb_delete_where('filtered', '{"days": 2}');
SELECT source FROM kb_browse('filtered', filter => '{"days": 1}', match_offset => 10);
SELECT source FROM kb_browse('filtered', source_type => 'webpage');
SET client_min_messages = warning;

-- Random documents and filters, found as a definition in plain SQL says.
DELETE FROM kb_filtered.document;
CREATE FUNCTION random_number(seed text, n int) RETURNS int IMMUTABLE RETURN (('x' || substr(md5(seed), 1, 7))::bit(28)::int % n);
CREATE FUNCTION random_value(seed text) RETURNS jsonb IMMUTABLE RETURN (ARRAY['1', '2', '2.50', '-3', '"x"', '"xy"', '"Y"', '"2024-01-01"', '"2024-05"', '"2024-01-01T00:00:00Z"', '"2024-06-01T00:30:00+02:00"', '"soon"', 'true', 'null', '["x"]', '["x", 2]', '{"v": 1}', '{"v": "x"}', '[]'])[1 + random_number(seed, 19)]::jsonb;
CREATE FUNCTION random_filter(seed text, depth int) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    kind int := random_number(seed || 'kind', CASE WHEN depth > 2 THEN 7 ELSE 10 END);
    key text := (ARRAY['a', 'b', 'n.v', 't', 'n'])[1 + random_number(seed || 'key', 5)];
    op text := (ARRAY['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin', '$between', '$exists', '$contains', '$like', '$ilike'])[1 + random_number(seed || 'op', 13)];
    value jsonb := random_value(seed || 'value');
    other jsonb := random_value(seed || 'other');
BEGIN
    IF kind >= 8 THEN
        RETURN jsonb_build_object((ARRAY['$and', '$or'])[kind - 7], jsonb_build_array(random_filter(seed || '1', depth + 1), random_filter(seed || '2', depth + 1)));
    ELSIF kind = 7 THEN
        RETURN jsonb_build_object('$not', random_filter(seed || '1', depth + 1));
    ELSIF kind = 6 THEN
        RETURN jsonb_build_object((ARRAY['$title', '$source'])[1 + random_number(seed || 'c', 2)], jsonb_build_object((ARRAY['$lt', '$gte', '$ne', '$like'])[1 + random_number(seed || 'd', 4)], (ARRAY['"1"', '"3%"', '"t2"'])[1 + random_number(seed || 'e', 3)]::jsonb));
    ELSIF kind < 2 AND key <> 'n.v' THEN
        RETURN jsonb_build_object(key, value);
    END IF;
    RETURN jsonb_build_object(key, jsonb_build_object(op, CASE
        WHEN op IN ('$in', '$nin') THEN jsonb_build_array(value, other)
        WHEN op = '$between' THEN (ARRAY['[1, 2]', '["a", "xy"]', '["2023-12-31", "2024-03-01"]'])[1 + random_number(seed || 'r', 3)]::jsonb
        WHEN op = '$exists' THEN to_jsonb(random_number(seed || 'x', 2) = 1)
        WHEN op LIKE '%like' THEN (ARRAY['"x%"', '"%y"', '"_"', '"2024-%"'])[1 + random_number(seed || 'l', 4)]::jsonb
        WHEN op IN ('$lt', '$lte', '$gt', '$gte') AND jsonb_typeof(value) NOT IN ('number', 'string') THEN '2'
        ELSE value END));
END
$$;
CREATE FUNCTION compares(a jsonb, op text, b jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    iso text := '^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d))?$';
    sign int;
BEGIN
    IF jsonb_typeof(a) = 'number' AND jsonb_typeof(b) = 'number' THEN
        sign := sign((a #>> '{}')::numeric - (b #>> '{}')::numeric);
    ELSIF jsonb_typeof(a) = 'string' AND jsonb_typeof(b) = 'string' THEN
        IF a #>> '{}' ~ iso AND b #>> '{}' ~ iso THEN
            sign := sign(extract(epoch FROM (CASE WHEN length(a #>> '{}') = 10 THEN a #>> '{}' || 'T00:00:00Z' ELSE a #>> '{}' END)::timestamptz)
                - extract(epoch FROM (CASE WHEN length(b #>> '{}') = 10 THEN b #>> '{}' || 'T00:00:00Z' ELSE b #>> '{}' END)::timestamptz));
        ELSIF b #>> '{}' ~ iso AND a #>> '{}' !~ '^\d{4}' THEN
            RETURN false;
        ELSE
            sign := CASE WHEN a #>> '{}' COLLATE "C" < b #>> '{}' THEN -1 WHEN a = b THEN 0 ELSE 1 END;
        END IF;
    ELSE
        RETURN false;
    END IF;
    RETURN CASE op WHEN '$lt' THEN sign < 0 WHEN '$lte' THEN sign <= 0 WHEN '$gt' THEN sign > 0 ELSE sign >= 0 END;
END
$$;
CREATE FUNCTION passes(metadata jsonb, title text, source text, filter jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    key text := (SELECT k FROM jsonb_object_keys(filter) k);
    arg jsonb := filter -> key;
    op text;
    value jsonb;
BEGIN
    CASE key
        WHEN '$and' THEN RETURN passes(metadata, title, source, arg -> 0) AND passes(metadata, title, source, arg -> 1);
        WHEN '$or' THEN RETURN passes(metadata, title, source, arg -> 0) OR passes(metadata, title, source, arg -> 1);
        WHEN '$not' THEN RETURN NOT passes(metadata, title, source, arg);
        WHEN '$title' THEN value := to_jsonb(title);
        WHEN '$source' THEN value := to_jsonb(source);
        ELSE value := metadata #> string_to_array(key, '.');
    END CASE;
    IF jsonb_typeof(arg) <> 'object' OR NOT EXISTS (SELECT FROM jsonb_object_keys(arg) k WHERE k LIKE '$%') THEN
        RETURN metadata @> filter;
    END IF;
    op := (SELECT k FROM jsonb_object_keys(arg) k);
    arg := arg -> op;
    RETURN coalesce(CASE op
        WHEN '$eq' THEN value = arg
        WHEN '$ne' THEN NOT coalesce(value = arg, false)
        WHEN '$in' THEN value = arg -> 0 OR value = arg -> 1
        WHEN '$nin' THEN NOT coalesce(value = arg -> 0 OR value = arg -> 1, false)
        WHEN '$between' THEN compares(value, '$gte', arg -> 0) AND compares(value, '$lte', arg -> 1)
        WHEN '$exists' THEN (value IS NOT NULL) = arg::boolean
        WHEN '$contains' THEN jsonb_typeof(value) = 'array' AND value @> CASE jsonb_typeof(arg) WHEN 'array' THEN arg ELSE jsonb_build_array(arg) END
        WHEN '$like' THEN jsonb_typeof(value) = 'string' AND value #>> '{}' LIKE arg #>> '{}'
        WHEN '$ilike' THEN jsonb_typeof(value) = 'string' AND value #>> '{}' ILIKE arg #>> '{}'
        ELSE compares(value, op, arg) END, false);
END
$$;
INSERT INTO kb_filtered.document (source_key, title, content, metadata)
SELECT n, CASE WHEN n % 4 > 0 THEN 't' || n % 4 END, 'A passage of number ' || n, (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM (
    SELECT key, random_value(n || key) AS value FROM unnest(ARRAY['a', 'b', 't']) key WHERE random_number(n || key || 'has', 4) > 0
    UNION ALL SELECT 'n', CASE random_number(n || 'n', 3) WHEN 0 THEN random_value(n || 'n') ELSE jsonb_build_object('v', random_value(n || 'v')) END WHERE random_number(n || 'hasn', 4) > 0) m)
FROM generate_series(1, 60) n;
CREATE TEMP TABLE asked AS SELECT n, random_filter('seed ' || n, 0) AS filter FROM generate_series(1, 500) n;
CREATE TEMP TABLE expected AS SELECT a.n, a.filter, coalesce(string_agg(d.source_key, ' ' ORDER BY d.source_key::int) FILTER (WHERE passes(c.metadata, d.title, d.source_key, a.filter)), '') AS sources
FROM asked a, kb_filtered.chunk c JOIN kb_filtered.document d ON d.id = c.document_id GROUP BY 1, 2;
SELECT count(DISTINCT sources) > 150 AS different, count(*) FILTER (WHERE sources = '') < 100 AS few_find_nothing FROM expected;
SELECT e.filter, mode, e.sources, f.sources AS found FROM expected e CROSS JOIN unnest(ARRAY['keyword', 'semantic']) mode,
    LATERAL (SELECT coalesce(string_agg(source, ' ' ORDER BY source::int), '') AS sources FROM kb_search('passage', 'filtered', mode, 100, filter => e.filter)) f
WHERE f.sources <> e.sources;

SELECT kb_drop('filtered');
DROP FUNCTION found, random_number, random_value, random_filter, compares, passes;
DROP TABLE asked, expected;
