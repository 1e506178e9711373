"""Haystack's own suite, and what it does not cover."""

import inspect
import math

import psycopg
import pytest
from common import DATABASE
from haystack import Document, Pipeline
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.testing.document_store import DocumentStoreBaseTests
from haystack.utils import Secret

from kb_rag.haystack import KbRagDocumentStore, KbRagHybridRetriever


class TestStore(DocumentStoreBaseTests):
    @pytest.fixture()
    def document_store(self, base):
        return KbRagDocumentStore(DATABASE, base.name, drop_embeddings=True)

    @staticmethod
    def assert_documents_are_equal(received, expected):
        # The suite writes embeddings, and lets a store say here that it does not keep them.
        def without(documents):
            return [{**document.to_dict(flatten=False), "embedding": None} for document in documents]

        assert without(received) == without(expected)

    def test_write_documents(self, document_store):
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])


def test_what_cannot_be_kept(base):
    store = KbRagDocumentStore(DATABASE, base.name)
    with pytest.raises(ValueError, match="the database embeds"):
        store.write_documents([Document(content="x"), Document(content="y", embedding=[0.1])])
    with pytest.raises(ValueError, match="must have text"):
        store.write_documents([Document(meta={"a": 1})])
    # More than one statement, of which the last fails.
    many = [Document(id=str(n), content="x", meta={"n": n if n < 500 else math.nan}) for n in range(501)]
    with pytest.raises(psycopg.Error):
        store.write_documents(many)
    assert store.count_documents() == 0


def test_policies(base):
    store = KbRagDocumentStore(DATABASE, base.name)
    store.write_documents([Document(id="a", content="one")])
    both = [Document(id="a", content="two"), Document(id="b", content="three"), Document(id="b", content="four")]
    with pytest.raises(DuplicateDocumentError):
        store.write_documents(both, DuplicatePolicy.FAIL)
    assert store.write_documents(both, DuplicatePolicy.SKIP) == 1
    assert [each.content for each in store.filter_documents()] == ["one", "three"]
    assert store.write_documents(both, DuplicatePolicy.OVERWRITE) == 3
    assert [each.content for each in store.filter_documents()] == ["two", "four"]


def test_another_source_type_is_left_alone(base):
    documents, notes = KbRagDocumentStore(DATABASE, base.name), KbRagDocumentStore(DATABASE, base.name, source_type="note")
    documents.write_documents([Document(id="a", content="one")])
    notes.write_documents([Document(id="a", content="two")])
    notes.delete_documents(["a"])
    assert notes.count_documents() == 0 and documents.count_documents() == 1


def test_filters(base):
    store = KbRagDocumentStore(DATABASE, base.name)
    store.write_documents([Document(id=str(n), content=f"text {n}", meta={"n": n, "size": {"width": n}}) for n in range(4)])

    def ids(field, operator, value):
        return [each.id for each in store.filter_documents({"field": field, "operator": operator, "value": value})]

    assert ids("meta.size.width", ">=", 2) == ["2", "3"]
    assert ids("id", "in", ["1", "3"]) == ["1", "3"]
    for field, operator, value in (("content", "==", "x"), ("meta.n", "~", 1), ("meta.n", ">", True)):
        with pytest.raises(FilterError):
            ids(field, operator, value)
    # More than kb_browse returns at once.
    with psycopg.connect(DATABASE, autocommit=True) as db:
        schema = db.execute("SELECT schema FROM kb_list() WHERE name = %s", [base.name]).fetchone()[0]
        db.execute("SELECT kb_configure(%s, embed => 'off')", [base.name])
        db.execute(f"INSERT INTO {schema}.document (content, metadata) SELECT 'x', '{{\"m\": 1}}' FROM generate_series(1, 10001)")
    found = store.filter_documents({"field": "meta.m", "operator": "==", "value": 1})
    assert len({each.id for each in found}) == len(found) == 10001


def test_pipeline_is_saved(filled, monkeypatch):
    monkeypatch.setenv("KB_RAG_DATABASE", DATABASE)
    store = KbRagDocumentStore(Secret.from_env_var("KB_RAG_DATABASE"), filled.name)
    pipeline = Pipeline()
    pipeline.add_component("retriever", KbRagHybridRetriever(store, top_k=1, search_arguments={"mode": "semantic"}))
    saved = pipeline.dumps()
    assert "dbname" not in saved
    # Haystack 3 makes objects of its own modules only, unless it is told of others.
    known = "allowed_modules" in inspect.signature(Pipeline.loads).parameters
    pipeline = Pipeline.loads(saved, **({"allowed_modules": ["kb_rag.haystack"]} if known else {}))
    [document] = pipeline.run({"retriever": {"query": "How do I get my money back?"}})["retriever"]["documents"]
    assert document.id == "manual/refunds.pdf" and 0 < document.score < 1
    assert document.meta["similarity"] == document.score and document.meta["chunk_id"]
    filters = {"field": "meta.absent", "operator": "==", "value": 1}
    assert pipeline.run({"retriever": {"query": "money", "filters": filters}})["retriever"]["documents"] == []
    with pytest.raises(ValueError, match="Secret"):
        KbRagDocumentStore(DATABASE, filled.name).to_dict()
