"""The vector store and the retriever for LangChain: import them from `kb_rag.langchain`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, PrivateAttr

from kb_rag import _store
from kb_rag._connections import AsyncDatabase, Database
from kb_rag._frameworks import Clients, check_arguments, check_filter, reject_embedding
from kb_rag._steps import Steps
from kb_rag._store import Found
from kb_rag.async_client import AsyncClient
from kb_rag.client import Client

class KbRagVectorStore(VectorStore):
    """The documents of one source_type in a knowledge base, as a vector store.

    An id is the source_key of a document. kb_rag may cut a text into several chunks; a search returns chunks, each with the id
    of its document. For texts that you have split yourself, create the base with `chunk_strategy => 'none'`. Searches are
    hybrid unless `mode` says otherwise, and their order is that of kb_search.

    Args:
        database: a conninfo, a connection of psycopg, a pool, or a `Client`.
        knowledge_base: its name. It has to exist: `SELECT kb_create('name')`.
        embedding: None. The database embeds.
        source_type: the kind of the documents; ids, deletions and searches mean this kind only.
        async_database: the same for methods that are awaited: a conninfo, an AsyncConnection, an asynchronous pool or an
            `AsyncClient`. Without it these run the others in a thread.
        schema: the schema of kb_rag's functions, where it is not in the search_path.
        chunk_metadata: whether results of searches have chunk_id, start_char, end_char, page and similarity in their
            metadata, unless the document has keys of these names. False gives the metadata as it was added.
        search_arguments: arguments of `Client.search` for all searches, such as `mode="semantic"`.

    Raises:
        ValueError: an embedding other than None.
        TypeError: an argument that kb_search does not have.
    """

    def __init__(
        self,
        database: Database | Client,
        knowledge_base: str,
        embedding: None = None,
        *,
        source_type: str = "document",
        async_database: AsyncDatabase | AsyncClient | None = None,
        schema: str | None = None,
        chunk_metadata: bool = True,
        **search_arguments: Any,
    ) -> None:
        reject_embedding(embedding)
        check_arguments(search_arguments)
        self.knowledge_base = knowledge_base
        self.source_type = source_type
        self.chunk_metadata = chunk_metadata
        self._arguments = search_arguments
        self._clients = Clients(database, async_database, schema)
        self._schemas = _store.Schemas()

    @property
    def embeddings(self) -> None:
        """None: the database embeds."""
        return None

    def _put(
        self, texts: Iterable[str], metadatas: Sequence[Mapping[str, Any]] | None, ids: Sequence[str | None] | None
    ) -> tuple[list[str], Steps[None]]:
        """The ids of texts, and the operation that writes these."""
        texts = list(texts)
        for name, values in (("metadatas", metadatas), ("ids", ids)):
            if values is not None and len(values) != len(texts):
                raise ValueError(f"{len(texts)} texts have {len(values)} {name}")
        keys = [key if key is not None else str(uuid4()) for key in ids or [None] * len(texts)]
        given: Sequence[Mapping[str, Any]] = [{}] * len(texts) if metadatas is None else metadatas
        return keys, _store.put(self.knowledge_base, self.source_type, keys, texts, given)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[Any, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Adds texts, or replaces those with these ids, in one transaction, and returns the ids.

        An id that is None is a new uuid.

        Raises:
            ValueError: lists of different lengths.
            psycopg.Error: the error of the database; nothing is added then.
        """
        reject_embedding(kwargs)
        keys, steps = self._put(texts, metadatas, ids)
        self._clients.sync.run(steps, atomic=True)
        return keys

    async def aadd_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[Any, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """As `add_texts`."""
        reject_embedding(kwargs)
        keys, steps = self._put(texts, metadatas, ids)
        await self._clients.arun(steps, atomic=True)
        return keys

    def add_documents(self, documents: list[Document], **kwargs: Any) -> list[str]:
        """Adds documents, or replaces those with the same ids: `ids`, or that of each document. See `add_texts`."""
        kwargs.setdefault("ids", [document.id for document in documents])
        return self.add_texts(
            [document.page_content for document in documents], [document.metadata for document in documents], **kwargs
        )

    async def aadd_documents(self, documents: list[Document], **kwargs: Any) -> list[str]:
        """As `add_documents`."""
        kwargs.setdefault("ids", [document.id for document in documents])
        return await self.aadd_texts(
            [document.page_content for document in documents], [document.metadata for document in documents], **kwargs
        )

    @staticmethod
    def _ids(ids: list[str] | None) -> list[str]:
        """The ids, which None is not: a mistake would delete everything."""
        if ids is None:
            raise ValueError("ids are needed: kb_delete_where(knowledge_base, '{}', everything => true) deletes all documents")
        return ids

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Deletes documents of the source_type of this store by their ids. An id without a document is no error.

        Raises:
            ValueError: ids that are None.
        """
        reject_embedding(kwargs)
        self._clients.sync.run(_store.remove(self.knowledge_base, self.source_type, self._ids(ids)))
        return True

    async def adelete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """As `delete`."""
        reject_embedding(kwargs)
        await self._clients.arun(_store.remove(self.knowledge_base, self.source_type, self._ids(ids)))
        return True

    def _get(self, ids: Sequence[str]) -> Steps[list[Document]]:
        """Documents by their ids."""
        found = yield from _store.get(self.knowledge_base, self.source_type, ids)
        return [Document(id=each.id, page_content=each.content, metadata=each.metadata) for each in found]

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids, whole and in their order. Ids without a document are left out."""
        return self._clients.sync.run(self._get(ids))

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """As `get_by_ids`."""
        return await self._clients.arun(self._get(ids))

    def _search(self, k: int, filter: Mapping[str, Any] | None, kwargs: dict[str, Any]) -> Steps[list[tuple[Document, Found]]]:
        """Searches with arguments that were checked."""
        query: dict[str, Any] = {name: kwargs.pop(name) for name in ("query", "query_embedding") if name in kwargs}
        check_arguments(kwargs)
        check_filter(filter)
        arguments: dict[str, Any] = {**self._arguments, **kwargs, **query}
        found = yield from _store.find(
            self.knowledge_base, self._schemas, match_count=k, filter=filter, source_type=self.source_type, **arguments
        )
        return [(self._document(each), each) for each in found]

    def _document(self, found: Found) -> Document:
        """A chunk as a document of LangChain."""
        metadata = found.described() if self.chunk_metadata else found.metadata
        return Document(id=found.id, page_content=found.chunk.content, metadata=metadata)

    def similarity_search(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """Searches chunks, best first.

        Args:
            query: a question in plain words.
            k: how many at most, 1 to 10,000.
            filter: an object that the metadata must contain, or one with the operators of kb_search.
            kwargs: further arguments of `Client.search`, such as `mode` or `match_threshold`.

        Raises:
            psycopg.Error: the error of the database; an operator of a filter that does not exist is 22023.
            TypeError: an argument that kb_search does not have, or a filter that is no object.
        """
        found = self._clients.sync.run(self._search(k, filter, {**kwargs, "query": query}))
        return [document for document, _ in found]

    async def asimilarity_search(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """As `similarity_search`."""
        found = await self._clients.arun(self._search(k, filter, {**kwargs, "query": query}))
        return [document for document, _ in found]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """As `similarity_search`; each with its similarity, -1 to 1, where 1 is the same.

        The order is that of the search, in which keywords count, too; it is that of the similarity with `mode="semantic"`. NaN
        is the similarity of a chunk without a vector.
        """
        found = self._clients.sync.run(self._search(k, filter, {**kwargs, "query": query}))
        return [(document, or_nan(each.chunk.similarity)) for document, each in found]

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """As `similarity_search_with_score`."""
        found = await self._clients.arun(self._search(k, filter, {**kwargs, "query": query}))
        return [(document, or_nan(each.chunk.similarity)) for document, each in found]

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """The chunks nearest to a vector of the base's model: as many numbers as the base has dimensions."""
        given = {"mode": "semantic", **kwargs, "query": "", "query_embedding": embedding}
        return [document for document, _ in self._clients.sync.run(self._search(k, filter, given))]

    async def asimilarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """As `similarity_search_by_vector`."""
        given = {"mode": "semantic", **kwargs, "query": "", "query_embedding": embedding}
        return [document for document, _ in await self._clients.arun(self._search(k, filter, given))]

    # similarity_search_with_relevance_scores and the retriever's score_threshold call these.
    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Chunks with their relevance, 0 to 1, and NaN where there is none."""
        found = self._clients.sync.run(self._search(k, kwargs.pop("filter", None), {**kwargs, "query": query}))
        return [(document, or_nan(each.chunk.relevance)) for document, each in found]

    async def _asimilarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """As `_similarity_search_with_relevance_scores`."""
        found = await self._clients.arun(self._search(k, kwargs.pop("filter", None), {**kwargs, "query": query}))
        return [(document, or_nan(each.chunk.relevance)) for document, each in found]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Any = None,
        metadatas: list[dict[Any, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> KbRagVectorStore:
        """Makes a store with `kwargs`, the arguments of the class, and adds texts. `embedding` must be None."""
        store = cls(embedding=embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store


def or_nan(value: float | None) -> float:
    """A score that LangChain can type, for one that does not exist."""
    return math.nan if value is None else value


class KbRagRetriever(BaseRetriever):
    """Retrieves chunks of knowledge bases, best first, each with the id of its document.

    `metadata` is that of the document, with chunk_id, start_char, end_char, page, similarity, relevance, title, source,
    heading and knowledge_base, unless the document has keys of these names.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    database: Any = Field(exclude=True)
    """A conninfo, a connection of psycopg, a pool, or a `Client`."""
    knowledge_base: str
    """The name of the base."""
    k: int = 4
    """How many chunks at most, 1 to 10,000."""
    filter: dict[str, Any] | None = None
    """An object that the metadata must contain, or one with the operators of kb_search."""
    source_type: str | None = None
    """Only documents of this kind."""
    search_arguments: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of `Client.search`."""
    async_database: Any = Field(default=None, exclude=True)
    """As `database`, for `ainvoke`. Without it, that runs in a thread."""
    schema_name: str | None = None
    """The schema of kb_rag's functions, where it is not in the search_path."""

    def model_post_init(self, _: Any, /) -> None:
        """Raises TypeError for arguments that kb_search does not have."""
        check_arguments(self.search_arguments)
        self._clients = Clients(self.database, self.async_database, self.schema_name)

    _clients: Clients
    _schemas: _store.Schemas = PrivateAttr(default_factory=_store.Schemas)

    def _search(self, query: str, given: dict[str, Any]) -> Steps[list[Document]]:
        """Searches with arguments that were checked."""
        own = {"k": self.k, "filter": self.filter, "source_type": self.source_type}
        own = {name: given.pop(name, value) for name, value in own.items()}
        check_arguments(given)
        check_filter(own["filter"])
        arguments = {**self.search_arguments, **given}
        found = yield from _store.find(
            self.knowledge_base,
            self._schemas,
            query=query,
            match_count=own["k"],
            filter=own["filter"],
            source_type=own["source_type"],
            **arguments,
        )
        more = ("relevance", "title", "source", "heading", "knowledge_base")
        return [Document(id=each.id, page_content=each.chunk.content, metadata=each.described(more)) for each in found]

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        """The chunks for a query; `kwargs` of `invoke` replace the fields of the retriever."""
        return self._clients.sync.run(self._search(query, kwargs))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        """As `_get_relevant_documents`."""
        return await self._clients.arun(self._search(query, kwargs))
