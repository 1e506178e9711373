"""Tools for the APIs of OpenAI, Anthropic and Gemini: their descriptions, and the answers to calls of a model.

    tools = OpenAITools(client)
    response = openai.chat.completions.create(model=…, messages=messages, tools=tools.definitions())
    messages += tools.answer(response.choices[0].message)

Messages are objects of these SDKs or dictionaries of the same form. No SDK is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import psycopg

from kb_rag.client import Client
from kb_rag.types import ToolResult


def member(value: Any, name: str) -> Any:
    """A member of an object of an SDK, or of a dictionary; None where there is none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


class Tools:
    """The tools of knowledge bases for a conversation. Use one of the subclasses.

    Args:
        client: whose role searches.
        agent_id: only the bases that are attached to this agent.
        session_id: of the conversation, for the log of searches.
        tools: "all", or "search" for the search of each base alone.
    """

    format: str

    def __init__(
        self, client: Client, *, agent_id: UUID | str | None = None, session_id: str | None = None, tools: str = "all"
    ) -> None:
        self.client = client
        self.agent_id = agent_id
        self.session_id = session_id
        self.tools = tools
        #: The chunks that the calls of the last `answer` found, to show to people: see `ToolResult.sources`.
        self.sources: list[dict[str, Any]] = []

    def _described(self) -> list[dict[str, Any]]:
        return self.client.tools(agent_id=self.agent_id, format=self.format, tools=self.tools)

    def _call(self, name: str, arguments: Mapping[str, Any] | str) -> ToolResult:
        """Calls a tool. A tool that does not exist is a mistake of the model, which it reads; other errors are raised."""
        try:
            result = self.client.call_tool(name, arguments, agent_id=self.agent_id, session_id=self.session_id)
        except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidParameterValue) as error:
            return ToolResult(f"error: {error.diag.message_primary}", True, [])
        self.sources += result.sources
        return result


class OpenAITools(Tools):
    """Tools for chat completions of OpenAI, and of the many servers that speak like them."""

    format = "openai"

    def definitions(self) -> list[dict[str, Any]]:
        """The value of `tools`. Leave the argument out where it is empty: the API does not accept an empty list.

        Raises:
            psycopg.Error: the error of the database.
        """
        return self._described()

    def answer(self, message: Any) -> list[dict[str, Any]]:
        """The messages that answer the `tool_calls` of a message, in their order; none where it has no calls.

        Raises:
            psycopg.Error: the error of the database, except for mistakes of the model, which it reads.
        """
        self.sources = []
        answers = []
        for call in member(message, "tool_calls") or []:
            function = member(call, "function")
            result = self._call(member(function, "name"), member(function, "arguments"))
            answers.append({"role": "tool", "tool_call_id": member(call, "id"), "content": result.text})
        return answers


class AnthropicTools(Tools):
    """Tools for messages of Anthropic."""

    format = "anthropic"

    def definitions(self) -> list[dict[str, Any]]:
        """The value of `tools`.

        Raises:
            psycopg.Error: the error of the database.
        """
        return self._described()

    def answer(self, message: Any) -> list[dict[str, Any]]:
        """The content of the user's message that answers the `tool_use` blocks of a message; empty where it has none.

        Raises:
            psycopg.Error: the error of the database, except for mistakes of the model, which it reads.
        """
        self.sources = []
        answers = []
        for block in member(message, "content") or []:
            if member(block, "type") != "tool_use":
                continue
            result = self._call(member(block, "name"), member(block, "input"))
            answers.append(
                {
                    "type": "tool_result",
                    "tool_use_id": member(block, "id"),
                    "content": result.text,
                    "is_error": result.is_error,
                }
            )
        return answers


class GeminiTools(Tools):
    """Tools for Gemini."""

    format = "gemini"

    def definitions(self) -> list[dict[str, Any]]:
        """The value of `tools`: one object with `function_declarations`, or an empty list where there is no tool.

        Raises:
            psycopg.Error: the error of the database.
        """
        described = self._described()
        return [{"function_declarations": described}] if described else []

    def answer(self, parts: Iterable[Any]) -> list[dict[str, Any]]:
        """The parts that answer the `function_call` parts of a content; empty where there are none.

        Raises:
            psycopg.Error: the error of the database, except for mistakes of the model, which it reads.
        """
        self.sources = []
        answers = []
        for part in parts:
            call = member(part, "function_call")
            if not call:
                continue
            result = self._call(member(call, "name"), dict(member(call, "args") or {}))
            key = "error" if result.is_error else "result"
            response: dict[str, Any] = {"name": member(call, "name"), "response": {key: result.text}}
            # Newer models number their calls.
            if member(call, "id"):
                response["id"] = member(call, "id")
            answers.append({"function_response": response})
        return answers
