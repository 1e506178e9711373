"""LlamaIndex on kb_rag's retriever, and its own vector store on the view that kb_expose makes."""

import psycopg
import pytest
from common import DATABASE, embedding
from llama_index.core.schema import MetadataMode, QueryBundle

from kb_rag.llama_index import KbRagRetriever

QUESTION = "How do I get my money back?"


def test_retriever(filled):
    first, second = KbRagRetriever(DATABASE, filled.name, similarity_top_k=2).retrieve(QUESTION)
    assert first.node.get_content().startswith("You can return any item")
    assert first.node.source_node.node_id == "manual/refunds.pdf"
    assert first.metadata["similarity"] == first.score and first.score > second.score
    assert first.node.node_id == first.metadata["chunk_id"]
    shown = first.node.get_content(MetadataMode.LLM)
    assert "title: Refunds" in shown and "similarity" not in shown
    assert KbRagRetriever(DATABASE, filled.name, filter={"absent": 1}).retrieve(QUESTION) == []
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        KbRagRetriever(DATABASE, filled.name, filter={"a": {"$near": 1}}).retrieve(QUESTION)
    with pytest.raises(TypeError, match="unknown argument 'top_k'"):
        KbRagRetriever(DATABASE, filled.name, top_k=1)


def test_query_with_a_vector(filled):
    found = KbRagRetriever(DATABASE, filled.name, similarity_top_k=1, mode="semantic").retrieve(
        QueryBundle("anything", embedding=embedding(QUESTION))
    )
    assert found[0].node.source_node.node_id == "manual/refunds.pdf"


@pytest.mark.parametrize("awaited", [None, DATABASE])
async def test_awaited(filled, awaited):
    retriever = KbRagRetriever(DATABASE, filled.name, async_database=awaited, similarity_top_k=1)
    [found] = await retriever.aretrieve(QueryBundle(QUESTION))
    assert found.node.source_node.node_id == "manual/refunds.pdf"
