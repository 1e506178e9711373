"""Haystack: a document store and a retriever. Needs haystack-ai (`pip install kb-rag-client[haystack]`).

The database embeds, so a pipeline needs no embedder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haystack import component, default_from_dict, default_to_dict
from haystack.dataclasses import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret

from kb_rag import _store
from kb_rag._connections import Database
from kb_rag._frameworks import check_arguments
from kb_rag._steps import Steps, schema_of
from kb_rag.client import Client
from kb_rag.haystack_filters import translate

__all__ = ["KbRagDocumentStore", "KbRagHybridRetriever"]


class KbRagDocumentStore:
    """The documents of one source_type in a knowledge base.

    The id of a document is its source_key. Documents have text; the order of `filter_documents` is that in which they were
    added. For texts that a splitter of Haystack has split, create the base with `chunk_strategy => 'none'`.

    Args:
        database: a `Secret` that holds a conninfo, so that pipelines can be saved; or a conninfo, a connection of psycopg, a
            pool or a `Client`, with which they cannot.
        knowledge_base: the name of the base. It has to exist: `SELECT kb_create('name')`.
        source_type: the kind of the documents; ids, deletions and searches mean this kind only.
        schema: the schema of kb_rag's functions, where it is not in the search_path.
        drop_embeddings: whether documents may have embeddings, which are not kept. They are an error otherwise.
    """

    def __init__(
        self,
        database: Secret | Database | Client,
        knowledge_base: str,
        *,
        source_type: str = "document",
        schema: str | None = None,
        drop_embeddings: bool = False,
    ) -> None:
        self.database = database
        self.knowledge_base = knowledge_base
        self.source_type = source_type
        self.schema = schema
        self.drop_embeddings = drop_embeddings
        self.schemas = _store.Schemas()
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        """The client of the database. A Secret is read when it is first used."""
        if self._client is None:
            database: Any = self.database
            if isinstance(database, Secret):
                database = database.resolve_value()
            self._client = database if isinstance(database, Client) else Client(database, schema=self.schema)
        return self._client

    def to_dict(self) -> dict[str, Any]:
        """Describes the store.

        Raises:
            ValueError: a database that is no Secret. Only a Secret says where it is without saying the password.
        """
        if not isinstance(self.database, Secret):
            raise ValueError("a store can be saved only if its database is a Secret, such as Secret.from_env_var(…)")
        return default_to_dict(
            self,
            database=self.database.to_dict(),
            knowledge_base=self.knowledge_base,
            source_type=self.source_type,
            schema=self.schema,
            drop_embeddings=self.drop_embeddings,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> KbRagDocumentStore:
        """Makes the store that `to_dict` described."""
        parameters = dict(data["init_parameters"])
        if isinstance(parameters["database"], Mapping):
            parameters["database"] = Secret.from_dict(dict(parameters["database"]))
        store: KbRagDocumentStore = default_from_dict(cls, {**data, "init_parameters": parameters})
        return store

    def count_documents(self) -> int:
        """How many documents there are."""
        return self.client.run(_store.count(self.knowledge_base, self.source_type))

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The documents that pass a filter of Haystack, whole, the oldest first.

        Raises:
            FilterError: a filter that is incomplete, or that cannot be translated.
            psycopg.Error: the error of the database.
        """
        translated = translate(filters) or {}
        found = self.client.run(_store.browse(self.knowledge_base, self.source_type, translated))
        return [Document(id=each.id, content=each.content, meta=each.metadata) for each in found]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Adds documents in one transaction and returns how many were written.

        `policy` says what happens if there is one with the id: NONE and FAIL raise, OVERWRITE replaces it, SKIP keeps it.

        Raises:
            DuplicateDocumentError: with NONE and FAIL; nothing is written then.
            ValueError: what is no list of documents, or a document without text, or with an embedding, a sparse embedding
                or a blob, which the database would not keep.
            psycopg.Error: the error of the database; nothing is written then.
        """
        if not isinstance(documents, list):
            raise ValueError("documents must be a list of Document")
        for document in documents:
            self._check(document)
        return self.client.run(self._write(documents, policy), atomic=True)

    def _check(self, document: object) -> None:
        """Raises ValueError for what the database would not keep."""
        if not isinstance(document, Document):
            raise ValueError(f"{type(document).__name__} is not a Document")
        if document.content is None or document.blob is not None:
            raise ValueError(f"document {document.id!r} must have text and no blob; kb_add_file reads files")
        vectors = document.embedding is not None or document.sparse_embedding is not None
        if vectors and not self.drop_embeddings:
            raise ValueError(
                f"document {document.id!r} has an embedding: the database embeds, with the model of the knowledge base. "
                "Leave the embedder out, or set drop_embeddings=True"
            )

    def _write(self, documents: list[Document], policy: DuplicatePolicy) -> Steps[int]:
        """Writes the documents that the policy lets through, and returns how many."""
        if policy != DuplicatePolicy.OVERWRITE:
            documents = yield from self._new(documents, policy)
        yield from _store.put(
            self.knowledge_base,
            self.source_type,
            [document.id for document in documents],
            [document.content or "" for document in documents],
            [document.meta for document in documents],
        )
        return len(documents)

    def _new(self, documents: list[Document], policy: DuplicatePolicy) -> Steps[list[Document]]:
        """The documents whose ids are new, the first of each id."""
        # Two writers of one id would both find it new.
        schema = yield from schema_of(self.knowledge_base)
        yield _store.lock(schema, self.source_type)
        found = yield from _store.get(self.knowledge_base, self.source_type, [document.id for document in documents])
        seen = {each.id for each in found}
        fresh = []
        for document in documents:
            if document.id not in seen:
                seen.add(document.id)
                fresh.append(document)
            elif policy != DuplicatePolicy.SKIP:
                raise DuplicateDocumentError(f"document {document.id!r} exists in knowledge base {self.knowledge_base!r}")
        return fresh

    def delete_documents(self, document_ids: list[str]) -> None:
        """Deletes documents by their ids. An id without a document is no error."""
        self.client.run(_store.remove(self.knowledge_base, self.source_type, document_ids))


@component
class KbRagHybridRetriever:
    """Retrieves chunks by keyword and by meaning, best first.

    The id of a result is that of its document, its score the similarity, -1 to 1, or None for a chunk without a vector. `meta`
    has chunk_id, start_char, end_char, page and similarity, unless the document has keys of these names.

    Args:
        document_store: whose documents are searched.
        filters: of Haystack; for searches that give none.
        top_k: how many chunks at most, 1 to 10,000.
        search_arguments: further arguments of `Client.search`, such as `{"mode": "semantic"}`.

    Raises:
        ValueError: a store of another kind.
        TypeError: an argument that kb_search does not have.
    """

    def __init__(
        self,
        document_store: KbRagDocumentStore,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        search_arguments: dict[str, Any] | None = None,
    ) -> None:
        if not isinstance(document_store, KbRagDocumentStore):
            raise ValueError("document_store must be a KbRagDocumentStore")
        check_arguments(search_arguments or {})
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k
        self.search_arguments = search_arguments or {}

    def to_dict(self) -> dict[str, Any]:
        """Describes the retriever with its store."""
        described: dict[str, Any] = default_to_dict(
            self,
            document_store=self.document_store.to_dict(),
            filters=self.filters,
            top_k=self.top_k,
            search_arguments=self.search_arguments,
        )
        return described

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> KbRagHybridRetriever:
        """Makes the retriever that `to_dict` described."""
        parameters = dict(data["init_parameters"])
        parameters["document_store"] = KbRagDocumentStore.from_dict(parameters["document_store"])
        made: KbRagHybridRetriever = default_from_dict(cls, {**data, "init_parameters": parameters})
        return made

    @component.output_types(documents=list[Document])
    def run(self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None) -> dict[str, list[Document]]:
        """Searches; `filters` and `top_k` replace those of the retriever.

        Raises:
            FilterError: a filter that is incomplete, or that cannot be translated.
            psycopg.Error: the error of the database.
        """
        store = self.document_store
        found = store.client.run(
            _store.find(
                store.knowledge_base,
                store.schemas,
                query=query,
                match_count=self.top_k if top_k is None else top_k,
                filter=translate(self.filters if filters is None else filters),
                source_type=store.source_type,
                **self.search_arguments,
            )
        )
        return {
            "documents": [
                Document(id=each.id, content=each.chunk.content, meta=each.described(), score=each.chunk.similarity)
                for each in found
            ]
        }
