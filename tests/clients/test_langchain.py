"""LangChain's own suites, and what they do not cover."""

import math

import psycopg
import pytest
from common import DATABASE, Base
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests, VectorStoreIntegrationTests

from kb_rag.langchain import KbRagRetriever, KbRagSearchTool, KbRagVectorStore, search_tools


class TestStore(VectorStoreIntegrationTests):
    @pytest.fixture()
    def vectorstore(self, base: Base):
        return KbRagVectorStore(DATABASE, base.name, chunk_metadata=False)


class TestStoreAwaited(VectorStoreIntegrationTests):
    @pytest.fixture()
    def vectorstore(self, base: Base):
        return KbRagVectorStore(DATABASE, base.name, async_database=DATABASE, chunk_metadata=False, mode="semantic")


class TestStoreWithoutChunking(VectorStoreIntegrationTests):
    @pytest.fixture()
    def vectorstore(self, unchunked: Base):
        return KbRagVectorStore(DATABASE, unchunked.name, chunk_metadata=False)


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _filled(self, filled: Base):
        self.base = filled

    @property
    def retriever_constructor(self):
        return KbRagRetriever

    @property
    def retriever_constructor_params(self):
        return {"database": DATABASE, "knowledge_base": self.base.name}

    @property
    def retriever_query_example(self):
        return "How do I get my money back?"


class TestTool(ToolsIntegrationTests):
    @pytest.fixture(autouse=True)
    def _filled(self, filled: Base):
        self.base = filled

    @property
    def tool_constructor(self):
        # A constructor, so that the suite checks the fields of the class, too.
        return KbRagSearchTool

    @property
    def tool_constructor_params(self):
        [tool] = [tool for tool in search_tools(DATABASE, tools="search") if tool.name == self.base.tool]
        return {name: getattr(tool, name) for name in ("name", "description", "args_schema", "clients")}

    @property
    def tool_invoke_params_example(self):
        return {"query": "money back"}


def test_embedding_is_an_error(base):
    for make in (
        lambda: KbRagVectorStore(DATABASE, base.name, DeterministicFakeEmbedding(size=6)),
        lambda: KbRagVectorStore.from_texts(["x"], DeterministicFakeEmbedding(size=6), database=DATABASE, knowledge_base=base.name),
        lambda: KbRagVectorStore(DATABASE, base.name).add_texts(["x"], embedding=[0.0]),
    ):
        with pytest.raises(ValueError, match="the database embeds"):
            make()
    arguments = {"database": DATABASE, "knowledge_base": base.name}
    store = KbRagVectorStore.from_documents([Document(page_content="y", id="b"), Document(page_content="z", id="c")], None, **arguments)
    assert [each.page_content for each in store.get_by_ids(["c", "b"])] == ["z", "y"]
    store = KbRagVectorStore.from_texts(["x"], None, [{"n": 1}], ids=["a"], database=DATABASE, knowledge_base=base.name)
    assert store.get_by_ids(["a"])[0].metadata == {"n": 1}
    assert store.embeddings is None


def test_results_of_a_long_text(base):
    text = "Tea needs four minutes. " * 60 + "Coffee needs a filter."
    store = KbRagVectorStore(DATABASE, base.name)
    store.add_texts([text], [{"page": 7}], ids=["long"])
    found = store.similarity_search("coffee filter", k=3)
    assert len(found) > 1 and {each.id for each in found} == {"long"}
    first = found[0]
    assert text[first.metadata["start_char"] : first.metadata["end_char"]] == first.page_content
    assert len({each.metadata["chunk_id"] for each in found}) == len(found)
    # Keys of the document take precedence.
    assert first.metadata["page"] == 7
    [whole] = store.get_by_ids(["long"])
    assert whole.page_content == text and whole.metadata == {"page": 7}


def test_another_source_type_is_left_alone(base):
    documents = KbRagVectorStore(DATABASE, base.name)
    notes = KbRagVectorStore(DATABASE, base.name, source_type="note")
    documents.add_texts(["a document"], ids=["x"])
    notes.add_texts(["a note"], ids=["x"])
    notes.delete(["x"])
    assert notes.get_by_ids(["x"]) == []
    assert [each.page_content for each in documents.get_by_ids(["x"])] == ["a document"]
    assert [each.page_content for each in documents.similarity_search("note")] == ["a document"]
    assert notes.similarity_search("note") == []


def test_filters(base):
    store = KbRagVectorStore(DATABASE, base.name)
    store.add_texts(["one", "two", "three"], [{"n": 1}, {"n": 2}, {"n": 3}])
    assert {each.page_content for each in store.similarity_search("x", filter={"n": {"$gte": 2}})} == {"two", "three"}
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        store.similarity_search("x", filter={"n": {"$near": 2}})
    assert raised.value.sqlstate == "22023" and "$gte" in raised.value.diag.message_hint
    with pytest.raises(TypeError, match="filter must be an object"):
        store.similarity_search("x", filter=lambda document: True)
    with pytest.raises(TypeError, match="unknown argument 'fetch_k'"):
        store.similarity_search("x", fetch_k=7)


def test_scores(filled):
    store = KbRagVectorStore(DATABASE, filled.name)
    [(document, score)] = store.similarity_search_with_score("money back", k=1)
    assert 0 < score < 1 and document.metadata["similarity"] == score
    [(_, relevance)] = store.similarity_search_with_relevance_scores("money back", k=1)
    assert 0 <= relevance <= 1 and relevance != score
    [(_, without)] = store.similarity_search_with_score("money back", k=1, mode="keyword")
    assert math.isnan(without)
    with psycopg.connect(DATABASE) as db:
        [(vector,)] = db.execute("SELECT kb_embed('money back')::text").fetchall()
    assert store.similarity_search_by_vector([float(x) for x in vector[1:-1].split(",")], k=1)[0].id == document.id
    # Both are an error of the database, which is not wrapped.
    with pytest.raises(psycopg.errors.DataException):
        store.similarity_search_by_vector([1.0, 2.0], k=1)


def test_as_retriever(filled):
    store = KbRagVectorStore(DATABASE, filled.name)
    retriever = store.as_retriever(search_type="similarity_score_threshold", search_kwargs={"k": 3, "score_threshold": 0.3})
    assert [each.id for each in retriever.invoke("How do I get my money back?")] == ["manual/refunds.pdf"]


def test_transaction_of_the_caller(base):
    with psycopg.connect(DATABASE) as db:
        store = KbRagVectorStore(db, base.name)
        with pytest.raises(RuntimeError), db.transaction():
            store.add_texts(["taken back"], ids=["t"])
            raise RuntimeError
        assert store.get_by_ids(["t"]) == []
        store.add_texts(["kept"], ids=["t"])
    assert [each.page_content for each in KbRagVectorStore(DATABASE, base.name).get_by_ids(["t"])] == ["kept"]


def test_nothing_is_half_added(base):
    store = KbRagVectorStore(DATABASE, base.name)
    # More than one statement, of which the last fails.
    with pytest.raises(psycopg.Error):
        store.add_texts(["x"] * 501, [{}] * 500 + [{"n": math.nan}])
    assert store.similarity_search("x") == []
    with pytest.raises(ValueError, match="2 texts have 1 ids"):
        store.add_texts(["x", "y"], ids=["a"])


def test_retriever_metadata_and_arguments(filled):
    retriever = KbRagRetriever(database=DATABASE, knowledge_base=filled.name, k=1, search_arguments={"mode": "semantic"})
    [document] = retriever.invoke("money back")
    assert document.metadata["title"] == "Refunds" and document.metadata["source"] == "manual/refunds.pdf"
    assert document.metadata["knowledge_base"] == filled.name and 0 < document.metadata["similarity"] < 1
    assert retriever.invoke("money back", filter={"nothing": 1}) == []
    with pytest.raises(TypeError, match="unknown argument 'limit'"):
        KbRagRetriever(database=DATABASE, knowledge_base=filled.name, search_arguments={"limit": 1})


def test_tool_messages(filled):
    [tool] = [tool for tool in search_tools(DATABASE) if tool.name == filled.tool]
    message = tool.invoke({"name": tool.name, "args": {"query": "money back"}, "id": "1", "type": "tool_call"})
    assert message.content.startswith("[Source: refunds.pdf] ")
    assert message.artifact[0]["kb_id"] == filled.name
    assert isinstance(Document(page_content="x", metadata=message.artifact[0]), Document)
