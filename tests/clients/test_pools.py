"""Pools of psycopg_pool, and threads that share a client."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from common import DATABASE
from psycopg_pool import AsyncConnectionPool, ConnectionPool

import kb_rag
from kb_rag.langchain import KbRagVectorStore

QUESTION = "How do I get my money back?"


def test_pool(filled):
    with ConnectionPool(DATABASE, min_size=2, max_size=2) as pool:
        client = kb_rag.Client(pool)
        with pytest.raises(psycopg.errors.UndefinedObject):
            client.search("x", "no base")
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda _: client.search(QUESTION, filled.name), range(24)))
        assert {len(each) for each in found} == {3}
        # What a call wrote is committed when the connection goes back.
        store = KbRagVectorStore(pool, filled.name)
        store.add_texts(["kept"], ids=["k"])
        assert [each.page_content for each in KbRagVectorStore(DATABASE, filled.name).get_by_ids(["k"])] == ["kept"]
        with pytest.raises(TypeError, match="ConnectionPool is for Client"):
            kb_rag.AsyncClient(pool)
        assert pool.get_stats()["pool_size"] == 2


async def test_pool_that_is_awaited(filled):
    async with AsyncConnectionPool(DATABASE, min_size=1, max_size=2, open=False) as pool:
        with pytest.raises(TypeError, match="AsyncConnectionPool is for AsyncClient"):
            kb_rag.Client(pool)
        store = KbRagVectorStore(DATABASE, filled.name, async_database=pool)
        await store.aadd_texts(["kept"], ids=["k"])
        [document] = await store.aget_by_ids(["k"])
        assert document.page_content == "kept"
        assert (await store.asimilarity_search(QUESTION, k=1))[0].id == "manual/refunds.pdf"
        [(document, score)] = await store.asimilarity_search_with_score(QUESTION, k=1)
        assert document.metadata["similarity"] == score
        assert await store.asimilarity_search_with_relevance_scores(QUESTION, k=1)
        assert await store.adelete(["k"])


def test_threads_share_one_connection(filled):
    with kb_rag.Client(DATABASE) as client:
        store = KbRagVectorStore(client, filled.name)
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda n: store.add_texts([f"text {n}"], ids=[str(n)]), range(24)))
        assert len(store.get_by_ids([str(n) for n in range(24)])) == 24
