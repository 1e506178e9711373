"""What the modules for frameworks share. Imports none of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

from kb_rag._connections import AsyncDatabase, Database
from kb_rag._steps import Steps
from kb_rag.async_client import AsyncClient
from kb_rag.client import Client

T = TypeVar("T")

# The arguments of Client.search that searches of stores and retrievers may have, beside their own.
SEARCH_ARGUMENTS = frozenset(
    "mode match_offset agent_id match_threshold fusion keyword_weight semantic_weight rrf_k ranker max_per_document"
    " syntax neighbors duplicates snippet".split()
)


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Raises TypeError for an argument that kb_search does not have, which would be ignored otherwise."""
    for name in arguments:
        if name not in SEARCH_ARGUMENTS:
            raise TypeError(f"unknown argument {name!r}; known are {', '.join(sorted(SEARCH_ARGUMENTS))}")


def check_filter(filter: object) -> None:
    """Raises TypeError for a filter that is no object, such as a function."""
    if filter is not None and not isinstance(filter, Mapping):
        raise TypeError("filter must be an object with the operators of kb_search")


def reject_embedding(given: object) -> None:
    """Raises ValueError for an embedding that is not None, and TypeError for other arguments that nothing would read."""
    if isinstance(given, dict):
        rest = dict(given)
        given = rest.pop("embedding", None)
        if rest:
            raise TypeError(f"unknown argument {next(iter(rest))!r}")
    if given is not None:
        raise ValueError("embedding must be None: the database embeds, with the model of the knowledge base")


class Clients:
    """A client that blocks and, if there is one, a client that is awaited."""

    def __init__(
        self, database: Database | Client, async_database: AsyncDatabase | AsyncClient | None, schema: str | None
    ) -> None:
        self.sync = database if isinstance(database, Client) else Client(database, schema=schema)
        self.awaited: AsyncClient | None
        if async_database is None or isinstance(async_database, AsyncClient):
            self.awaited = async_database
        else:
            self.awaited = AsyncClient(async_database, schema=schema)

    async def arun(self, steps: Steps[T], *, atomic: bool = False) -> T:
        """Runs an operation with the client that is awaited, or else with the other one in a thread."""
        if self.awaited is not None:
            return await self.awaited.run(steps, atomic=atomic)
        return await asyncio.to_thread(self._run, steps, atomic)

    def _run(self, steps: Any, atomic: bool) -> Any:
        """Runs an operation with the client that blocks."""
        return self.sync.run(steps, atomic=atomic)
