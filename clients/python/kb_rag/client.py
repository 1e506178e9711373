"""The client that blocks: functions of kb_rag as methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from kb_rag import _calls
from kb_rag._calls import File, Filter
from kb_rag._connections import Connections, Database
from kb_rag._steps import Steps
from kb_rag.async_client import AsyncClient
from kb_rag.types import Evaluation, SearchResult, ToolResult

__all__ = ["AsyncClient", "Client"]
T = TypeVar("T")


class Client:
    """Calls the functions of kb_rag.

    Args:
        database: a conninfo or URL of PostgreSQL, a connection of psycopg, or a pool of psycopg_pool. A conninfo is
            connected to when it is first used; `close` ends that connection. Connections and pools stay the caller's.
            On a connection in a transaction, calls are part of that transaction; otherwise each call commits.
        schema: the schema of kb_rag's functions, where it is not in the search_path.

    Raises:
        TypeError: a database of another kind.
    """

    def __init__(self, database: Database, *, schema: str | None = None) -> None:
        self.schema = schema
        self._connections = Connections(database)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection that a conninfo was connected with, if any. The next call would connect again."""
        self._connections.close()

    def run(self, steps: Steps[T], *, atomic: bool = False) -> T:
        """Runs an operation of this package; `atomic` puts its statements into one transaction."""
        return self._connections.run(steps, self.schema, atomic)

    def search(
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
        """Searches chunks, best first (kb_search).

        An argument that is None has the default of the database.

        Args:
            query: a question in plain words.
            knowledge_base: None searches all bases of the role's circle, or those of the agent.
            mode: "hybrid", "semantic" or "keyword".
            match_count: how many results at most, 1 to 10,000; 5 by default.
            match_offset: how many of the best to skip, from 0.
            filter: an object that the metadata must contain, or one with operators such as
                {"year": {"$gte": 2024}}.
            source_type: only documents of this kind.
            agent_id: a uuid of the application; only what is attached to it.
            knowledge_bases: these bases, in place of `knowledge_base`.
            match_threshold: results must have a similarity above it, -1 to 1; -1 is none.
            query_embedding: the vector of the query, if the application has it: as many numbers as the base has
                dimensions.
            fusion: how the two searches are combined: "relative" or "rrf".
            keyword_weight: from 0; how much keyword search counts.
            semantic_weight: from 0; how much vector search counts.
            rrf_k: the constant of reciprocal rank fusion, from 1.
            ranker: "bm25", "bm25_proximity", "ts_rank" or "ts_rank_cd".
            max_per_document: how many chunks of one document at most.
            syntax: "plain", or "web" for quotes and minus signs as operators.
            neighbors: how many chunks before and after each one to add to its content.
            duplicates: "keep", or "merge" to give a text that several documents have once.
            snippet: whether each result has the part of its text with the most words of the query.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE (`sqlstate`) and hint (`diag.message_hint`);
                an operator of a filter that does not exist is 22023.
        """
        return self.run(_calls.search(locals()))

    def context(
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
        """Returns the best chunks as one text for a prompt (kb_context), or None if none is about the query.

        Args:
            style: how each chunk begins: "relevance", or "source" for `[Source: …]`.
            max_chars: the length of the text at most, in characters.
            page_numbers: whether the label names the page.
            whole_document: whether documents are given whole; needs `max_chars`.

        The other arguments are those of `search`, and an argument that is None has the default of the database.

        Raises:
            psycopg.Error: as in `search`.
        """
        return self.run(_calls.context(locals()))

    def add(
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
        """Adds a document, or replaces the one with this source_type and source_key, and returns its id (kb_add).

        Args:
            content: the text. The database chunks and embeds it.
            title: is embedded and indexed with each chunk.
            source_key: a path, a URL or a key of the application.
            source_type: the kind of the document; "document" by default.
            metadata: what can be serialized as a JSON object, to filter by.
            mime_type: chooses how the text is chunked.
            language: a code such as "de", or a name; None keeps that of a document which is replaced.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE and hint.
            TypeError: metadata that JSON cannot hold.
        """
        return self.run(_calls.add(locals()))

    def add_file(
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
        """Adds a file, or replaces the document of that name, and returns the id of the document (kb_add_file).

        Args:
            file: its bytes, or its path on this machine.
            filename: required with bytes; the name of a path by default. Its ending tells the kind of the file.
            source_key: `filename` by default.
            source_type: "code" or "document" by default, by the name of the file.
            password: of a file that is encrypted.

        The other arguments are those of `add`.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE and hint.
            OSError: a path that cannot be read.
            ValueError: bytes without a filename.
        """
        return self.run(_calls.add_file(locals()))

    def delete(
        self,
        document_id: UUID | str,
        *,
        knowledge_base: str | None = None,
    ) -> bool:
        """Deletes a document and returns whether there was one (kb_delete).

        Args:
            document_id: its id, as `add` and results of `search` have it.
            knowledge_base: where it is looked for; None means all bases of the role's circle.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE and hint.
        """
        return self.run(_calls.delete(document_id, knowledge_base))

    def tools(
        self, *, agent_id: UUID | str | None = None, format: str = "mcp", tools: str = "all"
    ) -> list[dict[str, Any]]:
        """Describes the tools that a chat model can call (kb_tools).

        Args:
            agent_id: only the bases that are attached to it.
            format: "mcp", "openai", "anthropic" or "gemini".
            tools: "all", or "search" for the search of each base alone.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE and hint.
        """
        return self.run(_calls.tools(agent_id, format, tools))

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        agent_id: UUID | str | None = None,
        session_id: str | None = None,
    ) -> ToolResult:
        """Does what a chat model asked for (kb_call_tool).

        Args:
            name: of the tool.
            arguments: an object, or the JSON string that the model wrote. A mistake in it is a result with
                `is_error`, for the model to read.
            agent_id: as in `tools`.
            session_id: of the conversation, for the log of searches.

        Raises:
            psycopg.Error: the error of the database, such as for a tool that does not exist.
        """
        return self.run(_calls.call_tool(name, arguments, agent_id, session_id))

    def evaluate(
        self,
        knowledge_base: str,
        arguments: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        tag: str | None = None,
        save_as: str | None = None,
    ) -> list[Evaluation]:
        """Asks the questions of a base and returns a row for each combination of arguments (kb_evaluate).

        Args:
            knowledge_base: the role has to administer it.
            arguments: arguments of `search` by name, or a list of such objects. match_count is 10 unless given.
            tag: only questions with this tag.
            save_as: keeps the run under this name.

        Raises:
            psycopg.Error: the error of the database, with its SQLSTATE and hint.
        """
        return self.run(_calls.evaluate(knowledge_base, arguments, tag, save_as))
