-- Providers of embedding models, their keys and usage, and cached query vectors. No privilege is granted on the tables:
-- the functions read and write them.

CREATE TABLE kb_rag.provider (
    name text NOT NULL,
    builtin boolean NOT NULL DEFAULT false,
    kind text NOT NULL,
    base_url text NOT NULL,
    api_key text,
    headers jsonb NOT NULL DEFAULT '{}',
    timeout interval NOT NULL DEFAULT '60 seconds',
    batch_items int,
    batch_tokens int,
    batch_bytes int,
    price_per_million float8,
    owner text NOT NULL,
    PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE kb_rag.provider IS 'services that embed texts or fetch pages; written by kb_provider_set, listed by kb_provider_list()';
COMMENT ON COLUMN kb_rag.provider.name IS 'the first part of the names of its models';
COMMENT ON COLUMN kb_rag.provider.builtin IS 'whether it was installed with the extension; a row of the same name that was not takes precedence';
COMMENT ON COLUMN kb_rag.provider.kind IS 'the protocol it speaks';
COMMENT ON COLUMN kb_rag.provider.base_url IS 'the URL that the path of a call is appended to; empty for the web';
COMMENT ON COLUMN kb_rag.provider.api_key IS 'where the key is: env:NAME, file:/path or secret:name; never the key itself';
COMMENT ON COLUMN kb_rag.provider.headers IS 'sent with every call';
COMMENT ON COLUMN kb_rag.provider.timeout IS 'time limit of one call';
COMMENT ON COLUMN kb_rag.provider.batch_items IS 'maximum number of texts in one call; NULL for the known limit of the service';
COMMENT ON COLUMN kb_rag.provider.batch_tokens IS 'maximum number of tokens in one call';
COMMENT ON COLUMN kb_rag.provider.batch_bytes IS 'maximum number of bytes in one call';
COMMENT ON COLUMN kb_rag.provider.price_per_million IS 'price of a million tokens, in the currency of your choice; NULL for the known price of the model';
COMMENT ON COLUMN kb_rag.provider.owner IS 'the role that may change the row';

CREATE TABLE kb_rag.provider_grant (
    provider text NOT NULL,
    role text NOT NULL,
    PRIMARY KEY (provider, role)
);
COMMENT ON TABLE kb_rag.provider_grant IS 'the roles that may use a provider in addition to its owner; written by kb_provider_grant and kb_provider_revoke';
COMMENT ON COLUMN kb_rag.provider_grant.provider IS 'name of the provider';
COMMENT ON COLUMN kb_rag.provider_grant.role IS 'a role, or public for all roles';

CREATE TABLE kb_rag.limited_grant (
    provider text NOT NULL,
    role text NOT NULL,
    agent_id uuid,
    auto_sync boolean NOT NULL,
    CONSTRAINT limited_grant_key UNIQUE NULLS NOT DISTINCT (provider, role, agent_id)
);
COMMENT ON TABLE kb_rag.limited_grant IS 'the roles that may have some pages fetched through a provider: those of an agent, or without fetching them again; written by kb_provider_grant and kb_provider_revoke';
COMMENT ON COLUMN kb_rag.limited_grant.provider IS 'name of the provider';
COMMENT ON COLUMN kb_rag.limited_grant.role IS 'a role, or public for all roles';
COMMENT ON COLUMN kb_rag.limited_grant.agent_id IS 'the agent whose URLs it is for; NULL for all URLs';
COMMENT ON COLUMN kb_rag.limited_grant.auto_sync IS 'whether it is also for URLs that are fetched again when sync_interval has passed';

-- Row security without a policy: not even roles that may read all tables, such as members of pg_read_all_data, read it.
CREATE TABLE kb_rag.secret (
    name text PRIMARY KEY,
    value text NOT NULL,
    origin text NOT NULL,
    owner text NOT NULL
);
ALTER TABLE kb_rag.secret ENABLE ROW LEVEL SECURITY;
COMMENT ON TABLE kb_rag.secret IS 'keys stored by kb_secret_set; never dumped';
COMMENT ON COLUMN kb_rag.secret.name IS 'the name that follows secret: in a reference to the key';
COMMENT ON COLUMN kb_rag.secret.value IS 'the key';
COMMENT ON COLUMN kb_rag.secret.origin IS 'the only origin it is sent to: scheme, host and port';
COMMENT ON COLUMN kb_rag.secret.owner IS 'the role whose providers may use it';

-- Writers of a single counting row would all wait for each other: a view adds up these rows instead.
CREATE TABLE kb_rag.usage (
    knowledge_base_id uuid,
    knowledge_base text,
    model text NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    calls int8 NOT NULL,
    items int8 NOT NULL,
    tokens int8,
    errors int8 NOT NULL,
    cost float8,
    output_tokens int8
);
CREATE INDEX usage_knowledge_base_id ON kb_rag.usage (knowledge_base_id, at);
COMMENT ON TABLE kb_rag.usage IS 'calls of providers, and texts that workers embedded with local models; rows are only ever added; kb_rag.usage_daily adds them up';
COMMENT ON COLUMN kb_rag.usage.knowledge_base_id IS 'the knowledge base; NULL for kb_provider_test';
COMMENT ON COLUMN kb_rag.usage.knowledge_base IS 'its name at that time';
COMMENT ON COLUMN kb_rag.usage.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.usage.at IS 'when the calls were made';
COMMENT ON COLUMN kb_rag.usage.calls IS 'number of calls, including failed ones';
COMMENT ON COLUMN kb_rag.usage.items IS 'texts that were embedded';
COMMENT ON COLUMN kb_rag.usage.tokens IS 'tokens of these texts, or of what a chat model was asked, as the provider counts them; NULL if it does not report them';
COMMENT ON COLUMN kb_rag.usage.errors IS 'calls that failed';
COMMENT ON COLUMN kb_rag.usage.cost IS 'cost of these tokens; NULL if the price or the tokens are not known';
COMMENT ON COLUMN kb_rag.usage.output_tokens IS 'tokens of the replies of a chat model, as the provider counts them';

CREATE TABLE kb_rag.query_cache (
    model text NOT NULL,
    dimensions int NOT NULL,
    input_hash bytea NOT NULL,
    embedding float4[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    PRIMARY KEY (model, dimensions, input_hash)
);
COMMENT ON TABLE kb_rag.query_cache IS 'vectors of queries that kb_warm_query embedded, kept for kb_rag.query_cache_ttl; searches read them';
COMMENT ON COLUMN kb_rag.query_cache.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.query_cache.dimensions IS 'dimensions of the vector';
COMMENT ON COLUMN kb_rag.query_cache.input_hash IS 'SHA-256 of the query';
COMMENT ON COLUMN kb_rag.query_cache.embedding IS 'the vector';
COMMENT ON COLUMN kb_rag.query_cache.created_at IS 'when it was embedded';

INSERT INTO kb_rag.provider (name, builtin, kind, base_url, api_key, owner) VALUES
    ('openai', true, 'openai', 'https://api.openai.com/v1', 'env:OPENAI_API_KEY', CURRENT_USER),
    ('ollama', true, 'ollama', 'http://localhost:11434', NULL, CURRENT_USER),
    ('google', true, 'google', 'https://generativelanguage.googleapis.com/v1beta', 'env:GEMINI_API_KEY', CURRENT_USER),
    ('cohere', true, 'cohere', 'https://api.cohere.com/v2', 'env:CO_API_KEY', CURRENT_USER),
    ('voyage', true, 'voyage', 'https://api.voyageai.com/v1', 'env:VOYAGE_API_KEY', CURRENT_USER),
    ('mistral', true, 'mistral', 'https://api.mistral.ai/v1', 'env:MISTRAL_API_KEY', CURRENT_USER),
    ('tei', true, 'tei', 'http://localhost:8080', NULL, CURRENT_USER),
    ('web', true, 'web', '', NULL, CURRENT_USER),
    ('github', true, 'github', 'https://api.github.com', NULL, CURRENT_USER);

SELECT pg_catalog.pg_extension_config_dump('kb_rag.provider', 'WHERE NOT builtin');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.provider_grant', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.limited_grant', '');
SELECT pg_catalog.pg_extension_config_dump('kb_rag.usage', '');

CREATE VIEW kb_rag.usage_daily WITH (security_barrier) AS
    SELECT (u.at AT TIME ZONE 'UTC')::pg_catalog.date AS day, u.knowledge_base, u.model, pg_catalog.sum(u.calls)::pg_catalog.int8 AS calls,
        pg_catalog.sum(u.items)::pg_catalog.int8 AS items, pg_catalog.sum(u.tokens)::pg_catalog.int8 AS tokens, pg_catalog.sum(u.errors)::pg_catalog.int8 AS errors,
        pg_catalog.sum(u.cost) AS cost, pg_catalog.sum(u.output_tokens)::pg_catalog.int8 AS output_tokens
    FROM kb_rag.usage u
    WHERE u.knowledge_base_id OPERATOR(pg_catalog.=) ANY (SELECT b.id FROM @extschema@.kb_list() b)
        OR (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) CURRENT_USER)
    GROUP BY 1, 2, 3;
COMMENT ON VIEW kb_rag.usage_daily IS 'calls of providers, and texts that workers embedded, by day, knowledge base and model, for the knowledge bases you may read; superusers see all';
COMMENT ON COLUMN kb_rag.usage_daily.day IS 'the day, in UTC';
COMMENT ON COLUMN kb_rag.usage_daily.knowledge_base IS 'its name at that time; NULL for calls without a knowledge base';
COMMENT ON COLUMN kb_rag.usage_daily.model IS 'as provider/model';
COMMENT ON COLUMN kb_rag.usage_daily.calls IS 'number of calls, including failed ones';
COMMENT ON COLUMN kb_rag.usage_daily.items IS 'texts that were embedded';
COMMENT ON COLUMN kb_rag.usage_daily.tokens IS 'tokens of these texts, or of what a chat model was asked, as far as the provider reported them';
COMMENT ON COLUMN kb_rag.usage_daily.errors IS 'calls that failed';
COMMENT ON COLUMN kb_rag.usage_daily.cost IS 'cost of these tokens, as far as the price is known';
COMMENT ON COLUMN kb_rag.usage_daily.output_tokens IS 'tokens of the replies of chat models, as far as the provider reported them';
GRANT SELECT ON kb_rag.usage_daily TO PUBLIC;
