"""Tools for the APIs of OpenAI, Anthropic and Gemini: their descriptions, and the answers to calls of a model.

    tools = OpenAITools(client)
    response = openai.chat.completions.create(model=…, messages=messages, tools=tools.definitions())
    messages += tools.answer(response.choices[0].message)

Messages are objects of these SDKs or dictionaries of the same form. No SDK is imported. With an `AsyncClient`, await `adefinitions` and
`aanswer` instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from kb_rag.async_client import AsyncClient
from kb_rag.client import Client
from kb_rag.types import ToolResult


def member(value: Any, name: str) -> Any:
    """A member of an object of an SDK, or of a dictionary; None where there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


@dataclass(frozen=True)
class Request:
    """A call that a model asked for."""

    #: Of the call; None where the API has none.
    id: str | None
    name: str
    #: An object, or the JSON string that the model wrote.
    arguments: Mapping[str, Any] | str


class Tools(ABC):
    """The tools of knowledge bases for a conversation. Use one of the subclasses.

    Args:
        client: whose role searches; a `Client`, or an `AsyncClient` for the methods that are awaited.
        agent_id: only the bases that are attached to this agent.
        session_id: of the conversation, for the log of searches.
        tools: "all", or "search" for the search of each base alone.
    """

    format: str

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        agent_id: UUID | str | None = None,
        session_id: str | None = None,
        tools: str = "all",
    ) -> None:
        self.client = client
        self.agent_id = agent_id
        self.session_id = session_id
        self.tools = tools
        #: The chunks that the calls of the last `answer` found, to show to people: see `ToolResult.sources`.
        self.sources: list[dict[str, Any]] = []

    def definitions(self) -> list[dict[str, Any]]:
        """The value of `tools` of a request. Leave the argument out where it is empty: OpenAI's API does not accept an empty list.

        Raises:
            psycopg.Error: the error of the database.
            TypeError: an `AsyncClient`.
        """
        return self._described(self._blocking().tools(agent_id=self.agent_id, format=self.format, tools=self.tools))

    async def adefinitions(self) -> list[dict[str, Any]]:
        """As `definitions`, awaited."""
        return self._described(await self._awaited().tools(agent_id=self.agent_id, format=self.format, tools=self.tools))

    def answer(self, message: Any) -> list[dict[str, Any]]:
        """Does what a message of the model asks for, and returns what answers it, in the same order; nothing where it asks for nothing.

        Raises:
            psycopg.Error: the error of the database, except for mistakes of the model, which it reads.
            TypeError: an `AsyncClient`.
        """
        client = self._blocking()
        self.sources = []
        answers = []
        for request in self._requests(message):
            try:
                result = client.call_tool(
                    request.name, request.arguments, agent_id=self.agent_id, session_id=self.session_id
                )
            except MISTAKES as error:
                result = mistake(error)
            answers.append(self._answered(request, result))
        return answers

    async def aanswer(self, message: Any) -> list[dict[str, Any]]:
        """As `answer`, awaited."""
        client = self._awaited()
        self.sources = []
        answers = []
        for request in self._requests(message):
            try:
                result = await client.call_tool(
                    request.name, request.arguments, agent_id=self.agent_id, session_id=self.session_id
                )
            except MISTAKES as error:
                result = mistake(error)
            answers.append(self._answered(request, result))
        return answers

    def _blocking(self) -> Client:
        """The client, if it blocks."""
        if isinstance(self.client, Client):
            return self.client
        raise TypeError("an AsyncClient is awaited: use adefinitions and aanswer")

    def _awaited(self) -> AsyncClient:
        """The client, if it is awaited."""
        if isinstance(self.client, AsyncClient):
            return self.client
        raise TypeError("a Client is not awaited: use definitions and answer")

    def _answered(self, request: Request, result: ToolResult) -> dict[str, Any]:
        """Keeps the sources of a call, and makes its answer."""
        self.sources += result.sources
        return self._message(request, result)

    def _described(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The tools in the form that the API wants around them."""
        return tools

    @abstractmethod
    def _requests(self, message: Any) -> list[Request]:
        """The calls in a message."""

    @abstractmethod
    def _message(self, request: Request, result: ToolResult) -> dict[str, Any]:
        """What answers a call."""


# A tool that does not exist, or an argument that is out of range: the model reads it. All else is raised.
MISTAKES = (psycopg.errors.UndefinedObject, psycopg.errors.InvalidParameterValue)


def mistake(error: psycopg.Error) -> ToolResult:
    """A mistake of the model as a result."""
    return ToolResult(f"error: {error.diag.message_primary}", True, [])


class OpenAITools(Tools):
    """Tools for chat completions of OpenAI, and of the many servers that speak like them.

    `answer` takes the message of the model, and returns messages to append after it.
    """

    format = "openai"

    def _requests(self, message: Any) -> list[Request]:
        """The calls in a message."""
        calls = member(message, "tool_calls") or []
        functions = [(member(call, "id"), member(call, "function")) for call in calls]
        return [Request(id, member(function, "name"), member(function, "arguments")) for id, function in functions]

    def _message(self, request: Request, result: ToolResult) -> dict[str, Any]:
        """What answers a call."""
        return {"role": "tool", "tool_call_id": request.id, "content": result.text}


class AnthropicTools(Tools):
    """Tools for messages of Anthropic.

    `answer` takes the message of the model, and returns the content of the user's message that follows.
    """

    format = "anthropic"

    def _requests(self, message: Any) -> list[Request]:
        """The calls in a message."""
        blocks = member(message, "content") or []
        # A message may be text alone.
        uses = [] if isinstance(blocks, str) else [block for block in blocks if member(block, "type") == "tool_use"]
        return [Request(member(use, "id"), member(use, "name"), member(use, "input")) for use in uses]

    def _message(self, request: Request, result: ToolResult) -> dict[str, Any]:
        """What answers a call."""
        return {"type": "tool_result", "tool_use_id": request.id, "content": result.text, "is_error": result.is_error}


class GeminiTools(Tools):
    """Tools for Gemini.

    `answer` takes the parts of the model's content, and returns the parts of the content that follows.
    """

    format = "gemini"

    def _described(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The tools in the form that the API wants around them."""
        return [{"function_declarations": tools}] if tools else []

    def _requests(self, message: Any) -> list[Request]:
        """The calls in a message."""
        calls = [call for call in (member(part, "function_call") for part in message) if call]
        return [Request(member(call, "id"), member(call, "name"), dict(member(call, "args") or {})) for call in calls]

    def _message(self, request: Request, result: ToolResult) -> dict[str, Any]:
        """What answers a call."""
        answered: dict[str, Any] = {"name": request.name, "response": {"error" if result.is_error else "result": result.text}}
        # Newer models number their calls.
        if request.id:
            answered["id"] = request.id
        return {"function_response": answered}
