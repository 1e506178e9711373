"""The client, its tools and its compatible classes, with nothing but Python and psycopg. A test that is skipped is a failure."""

import asyncio
import contextlib
import importlib.util
import inspect
import json
import logging
import math
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import uuid

import psycopg
from common import DATABASE

import kb_rag
from kb_rag import _store
from kb_rag.compat import corail
from kb_rag.tools import AnthropicTools, GeminiTools, OpenAITools

DOCUMENTS = [
    ("manual/refunds.pdf", "Refunds", "You can return any item within thirty days. The money goes back to the card you paid with."),
    ("https://shop.example/help/delivery", "Delivery", "Parcels within Europe arrive in three to five working days."),
]
QUESTION = "How do I get my money back?"


class Pool:
    """Lends one connection, as a pool does."""

    def __init__(self):
        self.lent = 0

    @contextlib.contextmanager
    def connection(self):
        self.lent += 1
        with psycopg.connect(DATABASE) as connection:
            yield connection


class Signatures(unittest.TestCase):
    """Calls are made in one place for both clients; what they take is written twice, for types and help."""

    def test_both_clients_take_the_same(self):
        names = {name for name in vars(kb_rag.Client) if not name.startswith("_")}
        self.assertEqual(names, {name for name in vars(kb_rag.AsyncClient) if not name.startswith("_")})
        self.assertIn("search", names)
        for name in names:
            with self.subTest(name):
                self.assertEqual(inspect.signature(getattr(kb_rag.Client, name)), inspect.signature(getattr(kb_rag.AsyncClient, name)))


class Case(unittest.TestCase):
    """A base "core test" with two documents."""

    base = "core test"

    def setUp(self):
        self.client = kb_rag.Client(DATABASE)
        self.addCleanup(self.client.close)
        self.execute("SELECT kb_create(%s, description => 'Answers to customers.')", self.base)
        self.addCleanup(self.execute, "SELECT kb_drop(%s)", self.base)
        for key, title, content in DOCUMENTS:
            self.client.add(self.base, content, title=title, source_key=key, metadata={"n": len(title)})

    def execute(self, statement, *values):
        with psycopg.connect(DATABASE, autocommit=True) as db:
            db.execute("SET client_min_messages = warning")
            cursor = db.execute(statement, values)
            return cursor.fetchall() if cursor.description else []


class TestClient(Case):
    def test_importing_opens_nothing_and_imports_no_framework(self):
        program = (
            "import psycopg, sys\n"
            "psycopg.connect = psycopg.Connection.connect = psycopg.AsyncConnection.connect = None\n"
            "import kb_rag, kb_rag.tools, kb_rag.compat.corail\n"
            "kb_rag.Client('host=/nowhere'); kb_rag.AsyncClient('host=/nowhere')\n"
            "names = {name.partition('.')[0] for name in sys.modules}\n"
            "sys.exit(', '.join(names & {'langchain_core', 'llama_index', 'haystack', 'openai', 'psycopg_pool'}) or 0)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_search(self):
        [found] = self.client.search(QUESTION, self.base, match_count=1, filter={"n": {"$gte": 1}})
        self.assertEqual((found.source, found.title, found.knowledge_base), ("manual/refunds.pdf", "Refunds", self.base))
        self.assertEqual(found.content, DOCUMENTS[0][2])
        self.assertTrue(0 < found.similarity < 1 and 0 < found.relevance <= 1)
        self.assertEqual((found.start_char, found.end_char, found.ordinal, found.page), (0, len(found.content), 0, None))
        self.assertIsInstance(found.document_id, uuid.UUID)
        self.assertEqual(self.client.search(QUESTION, knowledge_bases=[self.base], mode="semantic", match_count=1)[0].source, found.source)
        [(vector,)] = self.execute("SELECT kb_embed(%s)::text", QUESTION)
        numbers = [float(number) for number in vector[1:-1].split(",")]
        [by_vector] = self.client.search("", self.base, mode="semantic", query_embedding=numbers, match_count=1)
        self.assertAlmostEqual(by_vector.similarity, found.similarity, places=5)
        self.assertEqual(self.client.search(QUESTION, self.base, source_type="code"), [])

    def test_errors_reach_the_caller(self):
        with self.assertRaises(psycopg.errors.InvalidParameterValue) as raised:
            self.client.search("x", self.base, filter={"n": {"$near": 1}})
        self.assertEqual(raised.exception.sqlstate, "22023")
        self.assertIn("$gte", raised.exception.diag.message_hint)
        with self.assertRaises(psycopg.errors.UndefinedObject) as raised:
            self.client.search("x", "core tset")
        self.assertIn("core test", raised.exception.diag.message_hint)
        # Where the statement reads a table of the base, too.
        for steps in (_store.find("core tset", _store.Schemas(), query="x"), _store.get("core tset", "document", ["x"])):
            with self.assertRaises(psycopg.errors.UndefinedObject):
                self.client.run(steps)

    def test_documents(self):
        first = self.client.add(self.base, "one", source_key="k")
        self.assertEqual(self.client.add(self.base, "two", source_key="k"), first)
        self.assertTrue(self.client.delete(first))
        self.assertFalse(self.client.delete(first, knowledge_base=self.base))
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "tea.md")
            path.write_text("# Tea\n\nTea needs four minutes.\n")
            added = self.client.add_file(self.base, path, metadata={"drink": True})
            self.assertEqual(self.client.add_file(self.base, path.read_bytes(), "tea.md"), added)
        with self.assertRaisesRegex(ValueError, "filename is required"):
            self.client.add_file(self.base, b"text")
        self.assertEqual(self.client.search("tea", self.base, match_count=1)[0].source, "tea.md")

    def test_context_tools_and_evaluation(self):
        self.assertIn("thirty days", self.client.context(QUESTION, self.base, style="source"))
        self.assertIsNone(self.client.context("What is the capital of France?", self.base))
        self.assertIn("search_core_test", [tool["name"] for tool in self.client.tools(tools="search")])
        self.execute("SELECT kb_question_add(%s, %s, expected_keys => %s)", self.base, QUESTION, ["manual/refunds.pdf"])
        one, two = self.client.evaluate(self.base, [{}, {"mode": "keyword"}])
        self.assertEqual((one.questions, one.mrr, one.arguments), (1, 1.0, {}))
        self.assertEqual(two.arguments, {"mode": "keyword"})

    def test_databases(self):
        pool = Pool()
        self.assertEqual(len(kb_rag.Client(pool).search(QUESTION, self.base)), 2)
        self.assertEqual(pool.lent, 1)
        with psycopg.connect(DATABASE) as db:
            for kind, given in ((kb_rag.Client, 7), (kb_rag.AsyncClient, db)):
                with self.assertRaises(TypeError):
                    kind(given)
        with kb_rag.Client(psycopg.conninfo.make_conninfo(DATABASE, options="-c search_path=elsewhere"), schema="public") as client:
            self.assertEqual(len(client.search(QUESTION, self.base)), 2)
            self.assertEqual(len(client.run(_store.find(self.base, _store.Schemas(), query=QUESTION))), 2)

    def test_a_connection_that_was_lost_is_opened_again(self):
        self.client.search("x", self.base)
        own = self.client._connections._own
        self.execute("SELECT pg_terminate_backend(%s, 5000)", own.info.backend_pid)
        with self.assertRaises(psycopg.OperationalError):
            self.client.search("x", self.base)
        self.assertEqual(len(self.client.search(QUESTION, self.base)), 2)

    def test_transactions(self):
        with psycopg.connect(DATABASE) as db:
            client = kb_rag.Client(db)
            with self.assertRaises(psycopg.errors.UndefinedObject):
                client.search("x", "no base")
            client.add(self.base, "kept", source_key="k")
            # It was committed, since no transaction was open.
            self.assertEqual(self.client.run(_store.count(self.base, "document")), 3)
            with self.assertRaises(ZeroDivisionError), db.transaction():
                client.add(self.base, "taken back", source_key="t")
                1 / 0
        self.assertEqual(self.client.run(_store.get(self.base, "document", ["t"])), [])
        with self.assertRaises(psycopg.Error):
            self.client.run(
                _store.put(self.base, "document", [str(n) for n in range(501)], ["x"] * 501, [{}] * 500 + [{"n": math.nan}]),
                atomic=True,
            )
        self.assertEqual(self.client.run(_store.count(self.base, "document")), 3)

    def test_ids(self):
        ids = [self.client.add(self.base, "no key"), self.client.add(self.base, "other kind", source_key="x", source_type="note")]
        found = self.client.run(_store.get(self.base, "document", [str(ids[0]), "x", "manual/refunds.pdf", "absent"]))
        self.assertEqual([each.id for each in found], [str(ids[0]), "manual/refunds.pdf"])
        self.assertEqual(found[1].metadata, {"n": 7})
        self.assertEqual(self.client.run(_store.remove(self.base, "document", [str(ids[0]), "x"])), 1)
        self.assertEqual(self.client.run(_store.count(self.base, "note")), 1)
        with self.assertRaises(ValueError):
            self.client.run(_store.remove(self.base, "document", "x"))

    def test_another_base_of_the_name(self):
        schemas = _store.Schemas()

        def find():
            return [each.id for each in self.client.run(_store.find(self.base, schemas, query=QUESTION, match_count=1))]

        self.assertEqual(find(), ["manual/refunds.pdf"])
        self.execute("SELECT kb_rename(%s, 'core test before')", self.base)
        self.addCleanup(self.execute, "SELECT kb_drop('core test before')")
        self.execute("SELECT kb_create(%s)", self.base)
        self.client.add(self.base, "Money back within a year.", source_key="new", metadata={"new": True})
        [found] = self.client.run(_store.find(self.base, schemas, query=QUESTION))
        self.assertEqual((found.id, found.metadata), ("new", {"new": True}))
        # Documents are those of the base that has the name now.
        self.assertEqual(self.client.run(_store.get(self.base, "document", ["manual/refunds.pdf"])), [])
        self.execute("SELECT kb_drop(%s)", self.base)
        with self.assertRaises(psycopg.errors.UndefinedTable):
            find()
        with self.assertRaises(psycopg.errors.UndefinedObject):
            find()
        self.execute("SELECT kb_create(%s)", self.base)
        self.assertEqual(find(), [])

    def test_reader(self):
        # One that a run which was killed has left.
        self.execute("DROP ROLE IF EXISTS kb_rag_client_reader")
        self.execute("CREATE ROLE kb_rag_client_reader LOGIN")
        self.addCleanup(self.execute, "DROP ROLE kb_rag_client_reader")
        self.execute("SELECT kb_grant(%s, 'kb_rag_client_reader', 'read')", self.base)
        self.addCleanup(self.execute, "SELECT kb_revoke(%s, 'kb_rag_client_reader', 'read')", self.base)
        with kb_rag.Client(psycopg.conninfo.make_conninfo(DATABASE, user="kb_rag_client_reader")) as client:
            self.assertEqual(len(client.run(_store.find(self.base, _store.Schemas(), query=QUESTION))), 2)
            self.assertEqual(len(client.run(_store.browse(self.base, "document", {}))), 2)
            for write in (lambda: client.add(self.base, "x"), lambda: client.run(_store.remove(self.base, "document", ["x"]))):
                with self.assertRaises(psycopg.errors.InsufficientPrivilege):
                    write()

    def test_notices_are_logged(self):
        with self.assertLogs("kb_rag", logging.INFO) as logged:
            self.client.search("x", self.base, filter={"absent": 1})
        self.assertIn('metadata key "absent"', logged.output[0])

    def test_awaited(self):
        async def main():
            async with kb_rag.AsyncClient(DATABASE) as client:
                found = await asyncio.gather(*[client.search(QUESTION, self.base) for _ in range(3)])
                self.assertEqual([len(each) for each in found], [2, 2, 2])
                added = await client.add(self.base, "text")
                self.assertTrue(await client.delete(added))
                self.assertTrue(await client.context(QUESTION, self.base))
                self.assertFalse((await client.call_tool("search_core_test", {"query": QUESTION})).is_error)
                async with await psycopg.AsyncConnection.connect(DATABASE) as db:
                    own = kb_rag.AsyncClient(db)
                    with self.assertRaises(psycopg.errors.UndefinedObject):
                        await own.search("x", "no base")
                    self.assertEqual(len(await own.search(QUESTION, self.base)), 2)

        asyncio.run(main())
        # The second loop cannot use what the first one opened.
        client = kb_rag.AsyncClient(DATABASE)

        async def at_once():
            return await asyncio.gather(*[client.search(QUESTION, self.base) for _ in range(3)])

        for _ in range(2):
            self.assertEqual([len(found) for found in asyncio.run(at_once())], [2, 2, 2])
        asyncio.run(client.close())


class TestTools(Case):
    def test_openai(self):
        tools = OpenAITools(self.client, tools="search", session_id="s")
        [definition] = [each for each in tools.definitions() if each["function"]["name"] == "search_core_test"]
        self.assertEqual(definition["type"], "function")
        calls = [
            {"id": "1", "function": {"name": "search_core_test", "arguments": json.dumps({"query": QUESTION})}},
            {"id": "2", "function": {"name": "search_core_test", "arguments": '{"query": "cut'}},
            {"id": "3", "function": {"name": "search_nothing", "arguments": "{}"}},
        ]
        # Objects of an SDK, and dictionaries.
        found, cut, unknown = tools.answer(types.SimpleNamespace(tool_calls=calls))
        self.assertEqual((found["role"], found["tool_call_id"]), ("tool", "1"))
        self.assertTrue(found["content"].startswith("[Source: refunds.pdf] You can return"))
        self.assertIn("not valid JSON", cut["content"])
        self.assertTrue(unknown["content"].startswith("error: "))
        self.assertEqual(tools.sources[0]["filename"], "refunds.pdf")
        self.assertEqual(tools.answer({"role": "assistant", "content": "Hello", "tool_calls": None}), [])
        self.assertEqual(tools.sources, [])

    def test_awaited(self):
        call = {"id": "1", "function": {"name": "search_core_test", "arguments": json.dumps({"query": QUESTION})}}

        async def main():
            async with kb_rag.AsyncClient(DATABASE) as client:
                tools = OpenAITools(client)
                self.assertEqual(await tools.adefinitions(), OpenAITools(self.client).definitions())
                wrong = {"id": "2", "function": {"name": "search_nothing", "arguments": "{}"}}
                found, unknown = await tools.aanswer({"tool_calls": [call, wrong]})
                self.assertTrue(found["content"].startswith("[Source: refunds.pdf]"))
                self.assertTrue(unknown["content"].startswith("error: "))
                self.assertEqual(tools.sources[0]["filename"], "refunds.pdf")
                with self.assertRaisesRegex(TypeError, "aanswer"):
                    tools.answer({"tool_calls": [call]})

        asyncio.run(main())

    def test_anthropic(self):
        tools = AnthropicTools(self.client)
        self.assertTrue(all("input_schema" in each for each in tools.definitions()))
        blocks = [
            {"type": "text", "text": "I search."},
            {"type": "tool_use", "id": "1", "name": "search_core_test", "input": {"query": QUESTION}},
            {"type": "tool_use", "id": "2", "name": "search_core_test", "input": {"q": QUESTION}},
        ]
        found, mistaken = tools.answer({"content": blocks})
        self.assertEqual((found["type"], found["tool_use_id"], found["is_error"]), ("tool_result", "1", False))
        self.assertTrue(mistaken["is_error"] and "unknown argument" in mistaken["content"])
        self.assertEqual(tools.answer({"content": []}), [])
        self.assertEqual(tools.answer({"content": "Hello"}), [])

    def test_gemini(self):
        tools = GeminiTools(self.client)
        [definition] = tools.definitions()
        self.assertIn("search_core_test", [each["name"] for each in definition["function_declarations"]])
        parts = [{"text": "I search."}, {"function_call": {"name": "search_core_test", "args": {"query": QUESTION}}}]
        [answer] = tools.answer(parts)
        self.assertTrue(answer["function_response"]["response"]["result"].startswith("[Source: refunds.pdf]"))
        [mistaken] = tools.answer([{"function_call": {"id": "7", "name": "search_core_test", "args": None}}])
        self.assertIn("error", mistaken["function_response"]["response"])
        self.assertEqual(mistaken["function_response"]["id"], "7")

    def test_errors_of_the_database_are_raised(self):
        self.client.close()
        call = {"id": "1", "function": {"name": "search_core_test", "arguments": json.dumps({"query": QUESTION})}}
        with kb_rag.Client(psycopg.conninfo.make_conninfo(DATABASE, user="no_such_role")) as client:
            with self.assertRaises(psycopg.OperationalError):
                OpenAITools(client).answer({"tool_calls": [call]})


class TestCompatible(Case):
    def retriever(self, **more):
        provider = corail.OllamaEmbeddingProvider(model="nomic-embed-text")
        return corail.PgVectorRetriever(connection_url=DATABASE, embedding_provider=provider, kb_id=self.base, **more)

    def test_tool_and_retriever(self):
        async def main():
            retriever = self.retriever()
            tool = corail.KBSearchTool(
                name="search_core_test", description="Search", retriever=retriever, kb_id=self.base, top_k=1
            )
            result = await tool.execute(query=QUESTION)
            self.assertEqual(result.output, f"[Source: refunds.pdf] {DOCUMENTS[0][2]}")
            [source] = result.props["sources"]
            self.assertEqual((source["filename"], source["kb_id"]), ("refunds.pdf", self.base))
            self.assertEqual(tool.parameters["required"], ["query"])
            found = await retriever.search("When do parcels arrive?", top_k=2)
            self.assertEqual(found[0].metadata["filename"], "https://shop.example/help/delivery")
            self.assertEqual(found[0].metadata["kb_id"], self.base)
            self.assertTrue(1 > found[0].score > found[1].score)
            self.assertEqual(await retriever.search("  "), [])
            await retriever.close()
            wrong = corail.PgVectorRetriever(DATABASE, kb_id="no base")
            with self.assertRaises(psycopg.errors.UndefinedObject):
                await wrong.search("x")
            await wrong.close()

        with self.assertLogs("kb_rag", logging.WARNING) as logged:
            asyncio.run(main())
        self.assertEqual(len(logged.output), 1)
        self.assertIn("not with nomic-embed-text", logged.output[0])

    def test_factory(self):
        made = corail.RetrieverFactory.create("pgvector", connection_url=DATABASE, embedding_provider=None, kb_id=self.base)
        self.assertIsInstance(made, corail.PgVectorRetriever)
        self.assertEqual(corail.RetrieverFactory.available(), ["pgvector"])
        with self.assertRaisesRegex(ValueError, "available: pgvector"):
            corail.RetrieverFactory.create("chroma")
        with self.assertRaisesRegex(ValueError, "kb_id"):
            corail.RetrieverFactory.create("pgvector", connection_url=DATABASE)

    def test_configuration(self):
        [(config,)] = self.execute("SELECT kb_tools_config(connection_url => %s)", DATABASE)
        tools = corail.search_tools({"CORAIL_KNOWLEDGE_BASES": config})
        [tool] = [tool for tool in tools if tool.kb_id == self.base]
        self.assertEqual((tool.name, tool.description), ("search_core_test", "Answers to customers."))

        async def search():
            result = await tool.execute(query=QUESTION)
            await tool.retriever.close()
            return result

        # The configuration of the database names the model of the base: nothing is logged.
        with self.assertNoLogs("kb_rag", logging.WARNING):
            self.assertIn("[Source: refunds.pdf]", asyncio.run(search()).output)
        self.assertEqual(corail.search_tools({}), [])
        entry = {"kb_id": "product-docs", "connection_url": "postgresql://localhost/x"}
        [tool] = corail.search_tools({"CORAIL_KNOWLEDGE_BASES": json.dumps([entry])})
        self.assertEqual(tool.name, "search_product_docs")
        self.assertIn("product-docs", tool.description)
        twice = json.dumps([entry, {**entry, "kb_id": "Product docs"}])
        for wrong in ("{", "{}", '[{"kb_id": "x"}]', twice):
            with self.assertRaises(ValueError):
                corail.search_tools({"CORAIL_KNOWLEDGE_BASES": wrong})


def main():
    if importlib.util.find_spec("kb_rag") is None:
        sys.exit("kb_rag is not installed")
    result = unittest.main(exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors) + len(result.skipped) + len(result.unexpectedSuccesses)
    for test, why in result.skipped:
        print(f"skipped: {test}: {why}", file=sys.stderr)
    if failed or not result.testsRun:
        sys.exit(1)
    print(f"   {result.testsRun} tests of the Python client", file=sys.stderr)


if __name__ == "__main__":
    main()
