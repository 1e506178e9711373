"""aimock: a mock of many services that injects faults. It derives vectors from the texts, so that each can be checked."""

import os

from servers import Failed, Server, cosine, quote, wait_for

KEY = "interop-key"
SAME = 0.9999
DIMENSIONS = 256


def run(report, db, directory):
    entry = os.path.join(directory, "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
    fixtures = os.path.join(directory, "fixtures")
    os.makedirs(fixtures, exist_ok=True)
    server = Server(
        ["node", entry, "--port", "{port}", "--host", "127.0.0.1", "--fixtures", fixtures, "--log-level", "silent"],
        "/health",
        {"AIMOCK_API_KEYS": KEY},
    )
    try:
        Tests(report, db, server).run()
    finally:
        server.stop()


class Tests:
    def __init__(self, report, db, server):
        self.report, self.db, self.server = report, db, server

    def control(self, method, path, body=None):
        return self.server.call(method, f"/__aimock/{path}", body, {"Authorization": f"Bearer {KEY}"})

    def chaos(self, **rates):
        self.control("POST", "chaos", rates)

    def quiet(self):
        self.control("DELETE", "chaos")

    def answers(self, status):
        """The number of calls for vectors that got this status since the journal was cleared."""
        return sum(entry["response"]["status"] == status for entry in self.control("GET", "journal") if "embed" in entry["path"])

    def create(self, name, provider="aim", model="text-embedding-3-small", dimensions=DIMENSIONS):
        self.control("POST", "reset/journal")
        self.db.run(f"SELECT kb_create('{name}', model => '{provider}/{model}', dimensions => {dimensions})")

    def insert(self, name, texts):
        self.db.run(f"INSERT INTO kb_{name}.document (content) SELECT unnest(ARRAY[{', '.join(map(quote, texts))}])")

    def count(self, name, status):
        return self.db.number(f"SELECT count(*) FROM kb_{name}.document WHERE status = '{status}'")

    def wait_indexed(self, name, documents, seconds=120):
        wait_for(lambda: self.count(name, "indexed") == documents, f"{documents} documents of {name}", seconds)

    def check_vectors(self, name, path="/v1/embeddings"):
        """Checks that each text has the vector that aimock gives for it."""
        rows = self.db.json(
            f"SELECT c.content, e.embedding::text FROM kb_{name}.chunk c LEFT JOIN kb_{name}.embedding e ON e.chunk_id = c.id"
        )
        texts = [row["content"] for row in rows]
        auth = {"Authorization": f"Bearer {KEY}"}
        if path == "/v1/embeddings":
            body = {"model": "text-embedding-3-small", "input": texts, "dimensions": DIMENSIONS}
            theirs = [item["embedding"] for item in self.server.call("POST", path, body, auth)["data"]]
        else:
            body = {"model": "embed-v4.0", "texts": texts, "input_type": "search_document", "embedding_types": ["float"]}
            theirs = self.server.call("POST", path, body, auth)["embeddings"]["float"]
        assert all(row["embedding"] for row in rows), "a passage without a vector"
        similar = [cosine([float(x) for x in row["embedding"].strip("[]").split(",")], their) for row, their in zip(rows, theirs)]
        assert min(similar) > SAME, min(similar)
        return len(rows)

    def drop(self, name):
        self.quiet()
        self.db.run(f"SELECT kb_drop('{name}')")

    def run(self):
        for name, work in [
            ("key", self.key),
            ("wrong key", self.wrong_key),
            ("429 with Retry-After", self.rate_limit),
            ("500 on every call", lambda: self.fault("dropRate", 500)),
            ("broken JSON with status 200", lambda: self.fault("malformedRate", 200)),
            ("connection cut", lambda: self.fault("disconnectRate", 0)),
            ("slower than the timeout", self.timeout),
            ("all faults at random", self.storm),
            ("one poisonous text", self.poison),
            ("cohere", self.cohere),
            ("ollama", self.ollama),
            ("google", self.google),
        ]:
            self.report.test(f"aimock: {name}", work)
            self.quiet()

    def key(self):
        url = self.server.url("/v1")
        self.db.run(
            f"SELECT kb_secret_set('aim', '{KEY}', '{self.server.url()}');"
            f"SELECT kb_provider_set('aim', 'openai', base_url => '{url}', api_key => 'secret:aim', batch_items => 8, timeout => '5 s')"
        )
        self.create("key")
        texts = [f"text number {n}, with \"quotes\" and ünïcode" for n in range(100)]
        self.insert("key", texts)
        self.wait_indexed("key", 100)
        calls = self.answers(200)
        assert calls == 13, f"{calls} calls for 100 texts, 8 each"
        checked = self.check_vectors("key")
        self.drop("key")
        return f"secret: key accepted, numbers instead of base64 read, {checked} vectors each its text's, {calls} calls of at most 8"

    def wrong_key(self):
        self.db.run(
            f"SELECT kb_secret_set('wrong', 'wrong-canary', '{self.server.url()}');"
            f"SELECT kb_provider_set('aimwrong', 'openai', base_url => '{self.server.url('/v1')}', api_key => 'secret:wrong')"
        )
        try:
            self.db.run(f"SELECT kb_embed('x', 'aimwrong/text-embedding-3-small', {DIMENSIONS})")
            raise AssertionError("a wrong key embeds")
        except Failed as error:
            assert error.state == "38000" and "wrong-canary" not in error.text, error.text
        self.create("wrong", "aimwrong")
        self.insert("wrong", ["one", "two"])
        paused = "SELECT count(*) FROM kb_rag.status WHERE knowledge_base = 'wrong' AND paused IS NOT NULL AND pending = 2"
        wait_for(lambda: self.db.number(paused) == 1, "a pause", 60)
        [status] = self.db.json("SELECT paused FROM kb_rag.status WHERE knowledge_base = 'wrong'")
        self.db.run(f"SELECT kb_secret_set('wrong', '{KEY}', '{self.server.url()}')")
        self.db.run("SELECT kb_retry('wrong')")
        self.wait_indexed("wrong", 2)
        self.drop("wrong")
        return f"paused: {status['paused']}; mended and retried: embedded"

    def rate_limit(self):
        self.create("limit")
        self.chaos(rateLimitRate=1)
        self.insert("limit", [f"limited {n}" for n in range(40)])
        wait_for(lambda: self.answers(429) >= 3, "three refusals", 60)
        [status] = self.db.json("SELECT pending, failed, paused FROM kb_rag.status WHERE knowledge_base = 'limit'")
        assert status["pending"] == 40 and status["failed"] == 0, status
        attempts = self.db.number("SELECT max(attempts) FROM kb_rag.job")
        assert attempts <= 1, f"{attempts} attempts charged"
        refused = self.answers(429)
        self.quiet()
        # Every answer also has x-ratelimit-reset-tokens: 6m0s, but Retry-After: 1 applies.
        self.wait_indexed("limit", 40, 45)
        checked = self.check_vectors("limit")
        self.drop("limit")
        return f"refused {refused} times: all pending, no attempt charged; then {checked} embedded by themselves"

    def fault(self, rate, status):
        self.create("fault")
        self.chaos(**{rate: 1})
        self.insert("fault", [f"fault {rate} {n}" for n in range(20)])
        # Failed chunks are in kb_rag.failed with the reason, and will be retried.
        seen = "SELECT count(*) FROM kb_rag.failed WHERE knowledge_base = 'fault' AND next_try IS NOT NULL AND reason <> ''"
        wait_for(lambda: self.db.number(seen) > 0 and self.answers(status) >= 2, "two failed calls", 90)
        [reason] = self.db.json("SELECT DISTINCT reason FROM kb_rag.failed WHERE knowledge_base = 'fault'")
        assert self.count("fault", "indexed") == 0
        self.quiet()
        self.db.run("SELECT kb_retry('fault')")
        self.wait_indexed("fault", 20)
        checked = self.check_vectors("fault")
        self.drop("fault")
        return f"visible as \"{reason['reason']}\"; then {checked} embedded"

    def timeout(self):
        self.db.run("SELECT kb_provider_set('aim', timeout => '300 ms')")
        self.chaos(latencyMs=2000)
        try:
            self.db.run(f"SELECT kb_embed('too slow', 'aim/text-embedding-3-small', {DIMENSIONS})")
            raise AssertionError("no timeout")
        except Failed as error:
            assert error.state == "58000", error.text
            message = error.message
        self.quiet()
        self.db.run("SELECT kb_provider_set('aim', timeout => '5 s')")
        return f"58000: {message}"

    def storm(self):
        documents = 240
        self.create("storm")
        self.chaos(dropRate=0.2, malformedRate=0.2, rateLimitRate=0.2, disconnectRate=0.2)
        self.insert("storm", [f"storm {n}: {'word ' * (n % 7)}" for n in range(documents)])

        def faults():
            # Broken JSON has the same status as a valid answer.
            return sum(self.answers(status) for status in (500, 429, 0))

        wait_for(lambda: faults() >= 8 or self.count("storm", "indexed") == documents, "some faults", 120)
        assert faults() > 0
        # At any moment every document is embedded, waits with a job, or is marked failed.
        lost = (
            "SELECT count(*) FROM kb_storm.document d WHERE status <> 'indexed'"
            " AND NOT EXISTS (SELECT FROM kb_rag.job j WHERE j.target = d.id)"
        )
        assert self.db.number(lost) == 0, "a document without vectors that nobody will embed"
        failed = self.db.number("SELECT count(*) FROM kb_rag.failed WHERE knowledge_base = 'storm'")
        indexed = self.count("storm", "indexed")
        calls = {str(status): self.answers(status) for status in (500, 429, 0, 200)}
        self.quiet()
        self.db.run("SELECT kb_retry('storm')")
        self.wait_indexed("storm", documents)
        checked = self.check_vectors("storm")
        assert checked == documents, checked
        self.drop("storm")
        return f"calls by status {calls}, {indexed} embedded and {failed} in kb_rag.failed in the middle; in the end {checked}, each its text's"

    def poison(self):
        self.create("poison")
        error = {"error": {"message": "This text is poisonous", "type": "invalid_request_error", "code": "bad_text"}, "status": 400}
        self.control("POST", "fixtures", {"fixtures": [{"match": {"inputText": "POISON"}, "response": error}]})
        texts = [f"harmless {n}" for n in range(39)]
        self.insert("poison", [*texts[:17], "POISON", *texts[17:]])
        wait_for(lambda: self.count("poison", "indexed") == 39 and self.count("poison", "failed") == 1, "39 embedded and 1 failed", 90)
        [failed] = self.db.json("SELECT reason, attempts, next_try FROM kb_rag.failed WHERE knowledge_base = 'poison'")
        assert "poisonous" in failed["reason"] and failed["next_try"] is None, failed
        self.control("DELETE", "fixtures")
        assert self.db.run("SELECT kb_retry('poison')") == "1"
        self.wait_indexed("poison", 40)
        checked = self.check_vectors("poison")
        self.drop("poison")
        return f"39 embedded, 1 failed: \"{failed['reason']}\"; retried without the poison: {checked}"

    def cohere(self):
        self.db.run(
            f"SELECT kb_provider_set('aimcohere', 'cohere', base_url => '{self.server.url('/v2')}', api_key => 'secret:aim')"
        )
        self.create("cohere", "aimcohere", "embed-v4.0", 1024)
        self.insert("cohere", [f"cohere {n}" for n in range(100)])
        self.wait_indexed("cohere", 100)
        checked = self.check_vectors("cohere", "/v2/embed")
        self.drop("cohere")
        return f"{checked} vectors of 1024 dimensions, each its text's"

    def refused(self, kind, model, state):
        """A service that deviates from the protocol that its maker documents causes an error that says so."""
        self.db.run(
            f"SELECT kb_provider_set('aim{kind}', '{kind}', base_url => '{self.server.url()}', api_key => 'secret:aim')"
        )
        try:
            self.db.run(f"SELECT kb_embed('x', 'aim{kind}/{model}', 768)")
            raise AssertionError("it embeds now: test more")
        except Failed as error:
            assert error.state == state, error.text
            return f"{error.state}: {error.message}"

    def ollama(self):
        return self.refused("ollama", "nomic-embed-text", "38000")

    def google(self):
        return self.refused("google", "gemini-embedding-001", "38000")
