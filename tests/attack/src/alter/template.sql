-- The database that is copied for every alteration. {url} is the provider's.
GRANT CREATE ON DATABASE alter_template TO attack_owner, attack_neighbor;
GRANT CREATE ON SCHEMA public TO attack_owner;
CREATE SCHEMA elsewhere;
SELECT kb_grant_admin('attack_owner'), kb_grant_admin('attack_neighbor');
SELECT kb_provider_set('mock', kind => 'openai', base_url => '{url}', timeout => '2 s', batch_items => 10);
SELECT kb_provider_grant('mock', 'attack_owner');

SET SESSION AUTHORIZATION attack_owner;
SELECT kb_create('inline', model => 'fake/x', dimensions => 8, chunk_size => 60, chunk_overlap => 5, chunk_strategy => 'text'),
    kb_create('queued', model => 'fake/x', dimensions => 8, chunk_size => 60, chunk_overlap => 5, embed => 'queued'),
    kb_create('remote', model => 'mock/small', dimensions => 8, chunk_size => 60, chunk_overlap => 5);
DO $$
DECLARE
    base text;
BEGIN
    FOREACH base IN ARRAY ARRAY['inline', 'queued', 'remote'] LOOP
        EXECUTE format(
            'INSERT INTO kb_%1$s.document (content, title, source_key)
                 SELECT ''text number '' || i || '' cats. '' || repeat(''more words here. '', i), ''title '' || i, ''k'' || i
                 FROM generate_series(1, 6) i;
             CREATE TABLE public.attached_%1$s (id int PRIMARY KEY, body text);
             INSERT INTO public.attached_%1$s VALUES (1, ''attached one''), (2, ''attached two'');
             SELECT kb_attach(''public.attached_%1$s'', ''%1$s'', ''body'')', base);
    END LOOP;
END $$;
CREATE TABLE public.imported (c text, e float4[]);
INSERT INTO public.imported VALUES ('imported', array_fill(1::float4, ARRAY[8]));

SET SESSION AUTHORIZATION attack_neighbor;
SELECT kb_create('neighbor', model => 'fake/x', dimensions => 8, embed => 'queued');
INSERT INTO kb_neighbor.document (content) SELECT 'neighbor text number ' || i FROM generate_series(1, 5) i;
RESET SESSION AUTHORIZATION;
