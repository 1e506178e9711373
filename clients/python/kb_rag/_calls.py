"""The calls of `Client` and `AsyncClient`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from kb_rag._steps import Steps, json, rows_of, value_of, vector
from kb_rag.types import Evaluation, SearchResult, ToolResult, from_row

Filter = Mapping[str, Any]
File = bytes | str | os.PathLike[str]


def search(arguments: Mapping[str, Any]) -> Steps[list[SearchResult]]:
    """kb_search with the arguments of the methods `search`."""
    rows = yield rows_of("kb_search", **prepared(arguments))
    return [from_row(SearchResult, row) for row in rows]


def context(arguments: Mapping[str, Any]) -> Steps[str | None]:
    """kb_context with the arguments of the methods `context`."""
    rows = yield value_of("kb_context", **prepared(arguments))
    value: str | None = rows[0]["value"]
    return value


def prepared(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of Python as parameters: filters as JSON, vectors as text, lists of names as arrays."""
    named = {name: value for name, value in arguments.items() if name != "self"}
    named["filter"] = json(named.get("filter"))
    named["query_embedding"] = vector(named.get("query_embedding"))
    if named.get("knowledge_bases") is not None:
        named["knowledge_bases"] = list(named["knowledge_bases"])
    return named


def add(arguments: Mapping[str, Any]) -> Steps[UUID]:
    """kb_add with the arguments of the methods `add`."""
    named = {name: value for name, value in arguments.items() if name != "self"}
    rows = yield value_of("kb_add", **{**named, "metadata": json(named["metadata"])})
    identifier: UUID = rows[0]["value"]
    return identifier


def add_file(arguments: Mapping[str, Any]) -> Steps[UUID]:
    """kb_add_file with the arguments of the methods `add_file`."""
    named = {name: value for name, value in arguments.items() if name != "self"}
    if isinstance(named["file"], bytes):
        if named["filename"] is None:
            raise ValueError("filename is required with bytes: its ending tells the kind of the file")
    else:
        path = Path(named["file"])
        named["file"] = path.read_bytes()
        named["filename"] = named["filename"] or path.name
    rows = yield value_of("kb_add_file", **{**named, "metadata": json(named["metadata"])})
    identifier: UUID = rows[0]["value"]
    return identifier


def delete(document_id: UUID | str, knowledge_base: str | None) -> Steps[bool]:
    """kb_delete."""
    rows = yield value_of("kb_delete", document_id=document_id, knowledge_base=knowledge_base)
    return bool(rows[0]["value"])


def tools(agent_id: UUID | str | None, format: str, tools: str) -> Steps[list[dict[str, Any]]]:
    """kb_tools."""
    rows = yield value_of("kb_tools", agent_id=agent_id, format=format, tools=tools)
    found: list[dict[str, Any]] = rows[0]["value"]
    return found


def call_tool(
    name: str, arguments: Mapping[str, Any] | str, agent_id: UUID | str | None, session_id: str | None
) -> Steps[ToolResult]:
    """kb_call_tool. Arguments that are a string go as a JSON string, which the database reads and reports on."""
    given = json(arguments if isinstance(arguments, str) else dict(arguments))
    rows = yield value_of("kb_call_tool", name=name, arguments=given, agent_id=agent_id, session_id=session_id)
    result = rows[0]["value"]
    text = "\n\n".join(part["text"] for part in result["content"])
    return ToolResult(text=text, is_error=result["isError"], sources=result.get("sources", []))


def evaluate(
    knowledge_base: str,
    arguments: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    tag: str | None,
    save_as: str | None,
) -> Steps[list[Evaluation]]:
    """kb_evaluate."""
    given: Any = arguments
    if isinstance(arguments, Mapping):
        given = dict(arguments)
    elif arguments is not None:
        given = [dict(each) for each in arguments]
    rows = yield rows_of(
        "kb_evaluate", knowledge_base=knowledge_base, arguments=json(given), tag=tag, save_as=save_as
    )
    return [from_row(Evaluation, row) for row in rows]
