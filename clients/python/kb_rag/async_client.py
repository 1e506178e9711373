"""The client that is awaited: functions of kb_rag as methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from kb_rag import _calls
from kb_rag._calls import File, Filter
from kb_rag._connections import AsyncConnections, AsyncDatabase
from kb_rag._steps import Steps
from kb_rag.types import Evaluation, SearchResult, ToolResult

T = TypeVar("T")


class AsyncClient:
    """Calls the functions of kb_rag, awaited.

    Args:
        database: a conninfo or URL of PostgreSQL, a connection of psycopg, or a pool of psycopg_pool. A conninfo is
            connected to when it is first used; `close` ends that connection. Connections and pools stay the caller's.
            On a connection in a transaction, calls are part of that transaction; otherwise each call commits.
        schema: the schema of kb_rag's functions, where it is not in the search_path.

    Raises:
        TypeError: a database of another kind.
    """

    def __init__(self, database: AsyncDatabase, *, schema: str | None = None) -> None:
        self.schema = schema
        self._connections = AsyncConnections(database)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection that a conninfo was connected with, if any. The next call would connect again."""
        await self._connections.close()

    async def run(self, steps: Steps[T], *, atomic: bool = False) -> T:
        """Runs an operation of this package; `atomic` puts its statements into one transaction."""
        return await self._connections.run(steps, self.schema, atomic)

    async def search(
        self,
        query: str,
        knowledge_base: str | None = None,
        *,
        mode: str | None = None,
        match_count: int | None = None,
        match_offset: int | None = None,
        filter: Filter | None = None,
        source_type: str | None = None,
        agent_id: UUID | str | None = None,
        knowledge_bases: Sequence[str] | None = None,
        match_threshold: float | None = None,
        query_embedding: Sequence[float] | None = None,
        fusion: str | None = None,
        keyword_weight: float | None = None,
        semantic_weight: float | None = None,
        rrf_k: int | None = None,
        ranker: str | None = None,
        max_per_document: int | None = None,
        syntax: str | None = None,
        neighbors: int | None = None,
        duplicates: str | None = None,
        snippet: bool | None = None,
    ) -> list[SearchResult]:
        """Searches chunks, best first (kb_search). As `Client.search`."""
        return await self.run(_calls.search(locals()))

    async def context(
        self,
        query: str,
        knowledge_base: str | None = None,
        *,
        match_count: int | None = None,
        match_threshold: float | None = None,
        style: str | None = None,
        mode: str | None = None,
        filter: Filter | None = None,
        source_type: str | None = None,
        agent_id: UUID | str | None = None,
        knowledge_bases: Sequence[str] | None = None,
        query_embedding: Sequence[float] | None = None,
        max_chars: int | None = None,
        page_numbers: bool | None = None,
        neighbors: int | None = None,
        duplicates: str | None = None,
        whole_document: bool | None = None,
    ) -> str | None:
        """Returns the best chunks as one text for a prompt (kb_context), or None if none is about the query. As `Client.context`."""
        return await self.run(_calls.context(locals()))

    async def add(
        self,
        knowledge_base: str,
        content: str,
        *,
        title: str | None = None,
        source_key: str | None = None,
        source_type: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        mime_type: str | None = None,
        language: str | None = None,
    ) -> UUID:
        """Adds a document, or replaces the one with this source_type and source_key, and returns its id (kb_add). As `Client.add`."""
        return await self.run(_calls.add(locals()))

    async def add_file(
        self,
        knowledge_base: str,
        file: File,
        filename: str | None = None,
        *,
        title: str | None = None,
        source_key: str | None = None,
        source_type: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        mime_type: str | None = None,
        language: str | None = None,
        password: str | None = None,
    ) -> UUID:
        """Adds a file, or replaces the document of that name, and returns the id of the document (kb_add_file). As `Client.add_file`."""
        return await self.run(_calls.add_file(locals()))

    async def delete(
        self,
        document_id: UUID | str,
        *,
        knowledge_base: str | None = None,
    ) -> bool:
        """Deletes a document and returns whether there was one (kb_delete). As `Client.delete`."""
        return await self.run(_calls.delete(document_id, knowledge_base))

    async def tools(
        self, *, agent_id: UUID | str | None = None, format: str = "mcp", tools: str = "all"
    ) -> list[dict[str, Any]]:
        """Describes the tools that a chat model can call (kb_tools). As `Client.tools`."""
        return await self.run(_calls.tools(agent_id, format, tools))

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        agent_id: UUID | str | None = None,
        session_id: str | None = None,
    ) -> ToolResult:
        """Does what a chat model asked for (kb_call_tool). As `Client.call_tool`."""
        return await self.run(_calls.call_tool(name, arguments, agent_id, session_id))

    async def evaluate(
        self,
        knowledge_base: str,
        arguments: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        tag: str | None = None,
        save_as: str | None = None,
    ) -> list[Evaluation]:
        """Asks the questions of a base and returns a row for each combination of arguments (kb_evaluate). As `Client.evaluate`."""
        return await self.run(_calls.evaluate(knowledge_base, arguments, tag, save_as))
