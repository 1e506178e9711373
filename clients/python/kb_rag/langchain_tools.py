"""Tools for agents of LangChain: import them from `kb_rag.langchain`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import Field

from kb_rag import _calls
from kb_rag._connections import AsyncDatabase, Database
from kb_rag._frameworks import Clients
from kb_rag.async_client import AsyncClient
from kb_rag.client import Client
from kb_rag.types import ToolResult


class KbRagSearchTool(BaseTool):
    """A tool of kb_tools, such as `search_support`. `search_tools` makes those of all bases that the role may read.

    The content of its result is what the model reads. The artifact has the sources, to show to people.
    """

    name: str
    description: str
    args_schema: dict[str, Any] = Field(...)
    response_format: str = "content_and_artifact"  # type: ignore[assignment]
    clients: Any = Field(exclude=True)
    agent_id: str | None = None
    session_id: str | None = None

    def _run(self, *_: Any, **arguments: Any) -> tuple[str, list[dict[str, Any]]]:
        """Calls the tool with what the model gave."""
        return answer(self.clients.sync.run(self._steps(arguments)))

    async def _arun(self, *_: Any, **arguments: Any) -> tuple[str, list[dict[str, Any]]]:
        """As `_run`."""
        return answer(await self.clients.arun(self._steps(arguments)))

    def _steps(self, arguments: Mapping[str, Any]) -> Any:
        """The call of kb_call_tool."""
        given = {name: value for name, value in arguments.items() if name not in ("run_manager", "config")}
        return _calls.call_tool(self.name, given, self.agent_id, self.session_id)


def answer(result: ToolResult) -> tuple[str, list[dict[str, Any]]]:
    """The content and the artifact. A mistake of the model is in the content, where the model reads it."""
    return result.text, result.sources


def search_tools(
    database: Database | Client,
    *,
    agent_id: str | None = None,
    session_id: str | None = None,
    tools: str = "all",
    async_database: AsyncDatabase | AsyncClient | None = None,
    schema: str | None = None,
) -> list[KbRagSearchTool]:
    """The tools of kb_tools: the search of each base and, with `tools="all"`, search_knowledge and read_knowledge.

    Args:
        database: a conninfo, a connection of psycopg, a pool, or a `Client`.
        agent_id: only the bases that are attached to this agent.
        session_id: of the conversation, for the log of searches.
        tools: "all" or "search".
        async_database: the same for `ainvoke`, which otherwise runs in a thread.
        schema: the schema of kb_rag's functions, where it is not in the search_path.

    Raises:
        psycopg.Error: the error of the database.
    """
    clients = Clients(database, async_database, schema)
    return [
        KbRagSearchTool(
            name=tool["name"],
            description=tool["description"],
            args_schema=tool["inputSchema"],
            clients=clients,
            agent_id=agent_id,
            session_id=session_id,
        )
        for tool in clients.sync.tools(agent_id=agent_id, tools=tools)
    ]
