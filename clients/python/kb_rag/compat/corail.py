"""Retrieval classes of an agent framework by their names, on kb_rag.

Each knowledge base is a tool `search_<slug>`, which the model calls when the question needs it. Only imports change:

    from kb_rag.compat.corail import KBSearchTool, PgVectorRetriever, RetrieverFactory

`kb_id` is the name of a knowledge base. The database embeds; embedding providers say which model was meant, and are not called.
"""

from __future__ import annotations

import json
import logging
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from kb_rag._connections import AsyncDatabase
from kb_rag._steps import Statement, Steps
from kb_rag._store import Found, Schemas, find
from kb_rag.async_client import AsyncClient

__all__ = [
    "EmbeddingProvider",
    "KBSearchTool",
    "OllamaEmbeddingProvider",
    "OpenAIEmbeddingProvider",
    "PgVectorRetriever",
    "RetrievalResult",
    "Retriever",
    "RetrieverFactory",
    "ToolResult",
    "search_tools",
]

logger = logging.getLogger("kb_rag")
VARIABLE = "CORAIL_KNOWLEDGE_BASES"
NOTHING_FOUND = "No passage about this was found."


@dataclass
class RetrievalResult:
    """A chunk that was found."""

    #: The text of the chunk.
    content: str
    #: The cosine similarity to the query, -1 to 1; 0 where the chunk has no vector.
    score: float
    #: That of the chunk, with filename, kb_id, chunk_id, document_id and similarity (None where there is none).
    metadata: dict[str, Any] = field(default_factory=dict)


class Retriever(ABC):
    """What searches for chunks."""

    @abstractmethod
    async def search(self, query: str, top_k: int = 5) -> list[RetrievalResult]:
        """The best chunks for a query, `top_k` at most, best first."""


@dataclass
class EmbeddingProvider:
    """The model that a configuration names. The database embeds, so this is compared with the base's and not called."""

    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)


class OllamaEmbeddingProvider(EmbeddingProvider):
    """A model of Ollama: see `EmbeddingProvider`."""


class OpenAIEmbeddingProvider(EmbeddingProvider):
    """A model of OpenAI: see `EmbeddingProvider`."""


class PgVectorRetriever(Retriever):
    """Searches a knowledge base by keyword and by meaning, combined by reciprocal rank fusion.

    It connects when it first searches; `close` ends the connection.

    Args:
        connection_url: a URL of PostgreSQL, an AsyncConnection or an asynchronous pool of psycopg, or an `AsyncClient`.
        embedding_provider: is not called. If it names another model than the base has, the log says so.
        kb_id: the name of the base.
    """

    def __init__(
        self,
        connection_url: AsyncDatabase | AsyncClient,
        embedding_provider: EmbeddingProvider | Any = None,
        kb_id: str = "",
    ) -> None:
        if not kb_id:
            raise ValueError("kb_id is needed: the name of a knowledge base")
        self.kb_id = kb_id
        self.embedding_provider = embedding_provider
        self._client = connection_url if isinstance(connection_url, AsyncClient) else AsyncClient(connection_url)
        self._schemas = Schemas()
        self._compared = False

    async def search(self, query: str, top_k: int = 5) -> list[RetrievalResult]:
        """The best chunks, best first; none for a blank query.

        Args:
            query: a question in plain words.
            top_k: how many at most, 1 to 10,000.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE and hint; 42704 for a kb_id that does not exist.
        """
        if not query.strip():
            return []
        found = await self._client.run(self._steps(query, top_k))
        return [result_of(each) for each in found]

    def _steps(self, query: str, top_k: int) -> Steps[list[Found]]:
        """The search; the first one compares the models before it."""
        if not self._compared:
            yield from self._compare()
        found = yield from find(self.kb_id, self._schemas, query=query, match_count=top_k, fusion="rrf")
        return found

    def _compare(self) -> Steps[None]:
        """Says once that the base has another model than the configuration names."""
        wanted = getattr(self.embedding_provider, "model", None)
        rows = yield Statement("SELECT model FROM {function} WHERE name = %(base)s", "kb_list", values={"base": self.kb_id})
        self._compared = True
        if wanted and rows and str(rows[0]["model"]).split("/", 1)[-1] != str(wanted).split("/")[-1]:
            logger.warning(
                "knowledge base %r embeds with %s, not with %s as configured: the base decides", self.kb_id, rows[0]["model"], wanted
            )

    async def close(self) -> None:
        """Closes the connection that was opened for a URL. The caller's connection or pool stays open."""
        await self._client.close()


def result_of(found: Found) -> RetrievalResult:
    """A chunk with what the dashboard and the label need."""
    chunk = found.chunk
    added = {
        "filename": filename_of(found),
        "kb_id": chunk.knowledge_base,
        "chunk_id": str(chunk.chunk_id),
        "document_id": str(chunk.document_id),
        "similarity": chunk.similarity,
    }
    # Keys of the document take precedence, as in results of tools.
    return RetrievalResult(chunk.content, chunk.similarity or 0.0, {**added, **chunk.metadata})


def filename_of(found: Found) -> str:
    """The name of a file, a whole URL, the title, or "document", as in the labels of kb_context."""
    if named := found.metadata.get("filename"):
        return str(named)
    source = found.chunk.source
    if source and re.match(r"[a-z][a-z0-9+.-]*://", source, re.IGNORECASE):
        return source
    return PurePosixPath(source or "").name or found.chunk.title or "document"


class RetrieverFactory:
    """Makes retrievers by name."""

    _makers: dict[str, Callable[..., Retriever]] = {"pgvector": PgVectorRetriever}

    @classmethod
    def create(cls, name: str, **arguments: Any) -> Retriever:
        """Makes a retriever.

        Raises:
            ValueError: a name that is not `available`.
        """
        if name not in cls._makers:
            raise ValueError(f"unknown retriever {name!r}; available: {', '.join(cls.available())}")
        return cls._makers[name](**arguments)

    @classmethod
    def register(cls, name: str, maker: Callable[..., Retriever]) -> None:
        """Makes a retriever of the caller available."""
        cls._makers[name] = maker

    @classmethod
    def available(cls) -> list[str]:
        """The names of retrievers."""
        return sorted(cls._makers)


@dataclass
class ToolResult:
    """The result of a tool."""

    #: What the model reads.
    output: str
    success: bool = True
    error: str | None = None
    #: For the dashboard: `sources`, one for each chunk.
    props: dict[str, Any] = field(default_factory=dict)


class KBSearchTool:
    """The search tool of one knowledge base.

    Args:
        name: `search_<slug>`.
        description: tells the model when to call it.
        retriever: what searches.
        kb_id: the name of the base.
        top_k: how many chunks at most.
    """

    def __init__(self, name: str, description: str, retriever: Retriever, kb_id: str, top_k: int = 5) -> None:
        self.name = name
        self.description = description
        self.retriever = retriever
        self.kb_id = kb_id
        self.top_k = top_k

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments: `query` alone."""
        query = {"type": "string", "description": "The question, or words to look for"}
        return {"type": "object", "properties": {"query": query}, "required": ["query"]}

    async def execute(self, query: str) -> ToolResult:
        """Searches. `output` has the chunks with `[Source: …]` labels, `props["sources"]` what to show of them.

        Raises:
            psycopg.Error: the error of the database. A failure is not taken for "nothing was found".
        """
        found = await self.retriever.search(query, top_k=self.top_k)
        if not found:
            return ToolResult(NOTHING_FOUND, props={"sources": []})
        return ToolResult("\n\n---\n\n".join(map(labeled, found)), props={"sources": list(map(source, found))})


def labeled(result: RetrievalResult) -> str:
    """A chunk behind its label. Brackets in the name would look like the end of the label."""
    name = str(result.metadata.get("filename") or "document").replace("[", "(").replace("]", ")")
    return f"[Source: {name}] {result.content}"


def source(result: RetrievalResult) -> dict[str, Any]:
    """What the dashboard shows of a chunk."""
    metadata = result.metadata
    return {
        "filename": metadata.get("filename"),
        "kb_id": metadata.get("kb_id"),
        "score": result.score,
        "content": result.content,
        "metadata": metadata,
    }


def slug_of(name: str) -> str:
    """The name of a base as a part of the name of a tool."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def search_tools(environment: Mapping[str, str] | None = None) -> list[KBSearchTool]:
    """A search tool for each base of the variable CORAIL_KNOWLEDGE_BASES; none if it is not set or empty.

    The variable is a list in JSON, as `SELECT kb_tools_config()` writes it. Each entry has kb_id and connection_url; name
    is kb_id, description and embedding_model are optional. Bases with the same connection_url share a connection.

    Raises:
        ValueError: what is no such list.
    """
    value = (os.environ if environment is None else environment).get(VARIABLE, "").strip()
    if not value:
        return []
    try:
        entries = json.loads(value)
    except json.JSONDecodeError as error:
        raise ValueError(f"{VARIABLE} is not JSON: {error}") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(f"{VARIABLE} must be a list of objects")
    clients: dict[str, AsyncClient] = {}
    tools = [tool_of(entry, clients) for entry in entries]
    names = [tool.name for tool in tools]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"two entries of {VARIABLE} are the tool {min(twice)}: give one another name")
    return tools


def tool_of(entry: Mapping[str, Any], clients: dict[str, AsyncClient]) -> KBSearchTool:
    """The tool of one entry."""
    for name in ("kb_id", "connection_url"):
        if not entry.get(name):
            raise ValueError(f"an entry of {VARIABLE} has no {name}")
    name = entry.get("name") or entry["kb_id"]
    client = clients.setdefault(entry["connection_url"], AsyncClient(entry["connection_url"]))
    return KBSearchTool(
        name=f"search_{slug_of(name)}",
        description=entry.get("description") or f"Search the knowledge base {name!r} for passages that answer a question.",
        retriever=PgVectorRetriever(client, EmbeddingProvider(entry.get("embedding_model")), entry["kb_id"]),
        kb_id=entry["kb_id"],
    )
