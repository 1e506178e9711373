"""Documents by id, as the stores of frameworks know them.

An id is a source_key within one source_type, of documents without a source: those of attached tables, URLs and directories
belong to these. A document without a source_key has its uuid as its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg

from kb_rag._calls import prepared
from kb_rag._steps import Statement, Steps, json, schema_of
from kb_rag.types import SearchResult, from_row

# How many documents one statement writes: it keeps their texts in memory, and is one round trip.
BATCH = 500
# The most rows that kb_browse returns at once.
PAGE = 10_000


@dataclass(frozen=True)
class Stored:
    """A document: its id, its whole text and its own metadata."""

    id: str
    content: str
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Found:
    """A chunk that a search found, with the id and the metadata of its document."""

    id: str
    metadata: dict[str, Any]
    chunk: SearchResult

    def described(self, more: Sequence[str] = ()) -> dict[str, Any]:
        """The metadata of the document, and where the chunk is in it. Keys of the document take precedence."""
        names = ("chunk_id", "start_char", "end_char", "page", "similarity", *more)
        added = {name: getattr(self.chunk, name) for name in names}
        # Frameworks serialize metadata as JSON.
        return {**{name: str(v) if isinstance(v, UUID) else v for name, v in added.items()}, **self.metadata}


# The ids that are uuids also name documents without a source_key. Two conditions, each with its own index.
BY_ID = """source_type = %(source_type)s AND (
    (source_id IS NULL AND source_key = ANY(%(ids)s)) OR
    (source_id IS NULL AND source_key IS NULL AND id = ANY(%(uuids)s::uuid[])))"""


def is_uuid(value: str) -> bool:
    """Whether it is a uuid as PostgreSQL writes it."""
    try:
        return str(UUID(value)) == value
    except ValueError:
        return False


def id_values(source_type: str, ids: Sequence[str]) -> dict[str, Any]:
    """The parameters of BY_ID."""
    if isinstance(ids, str):
        raise ValueError("ids must be a list of strings, not one string")
    return {"source_type": source_type, "ids": list(ids), "uuids": [value for value in ids if is_uuid(value)]}


def put(
    knowledge_base: str, source_type: str, ids: Sequence[str], texts: Sequence[str], metadatas: Sequence[Mapping[str, Any]]
) -> Steps[None]:
    """Adds documents, or replaces those with these ids. Of two with the same id, the last stays."""
    latest = {key: (text, metadata) for key, text, metadata in zip(ids, texts, metadatas, strict=True)}
    keys = list(latest)
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        yield Statement(
            "SELECT count({function}) FROM unnest(%(keys)s::text[], %(texts)s::text[], %(metadatas)s::jsonb[])"
            " AS given (key, text, metadata)",
            "kb_add",
            values={
                "base": knowledge_base,
                "source_type": source_type,
                "keys": part,
                "texts": [latest[key][0] for key in part],
                "metadatas": [json(dict(latest[key][1])) for key in part],
            },
            raw="%(base)s, given.text, source_key => given.key, source_type => %(source_type)s, metadata => given.metadata",
        )


def lock(schema: str, source_type: str) -> Statement:
    """Keeps other writers that take this lock from the documents of a type until the transaction ends."""
    return Statement(
        "SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 0))", values={"name": f"kb_rag client {schema} {source_type}"}
    )


def get(knowledge_base: str, source_type: str, ids: Sequence[str]) -> Steps[list[Stored]]:
    """The documents with these ids, in their order. Ids without a document are left out."""
    values = id_values(source_type, ids)
    schema = yield from schema_of(knowledge_base)
    rows = yield Statement(
        f"SELECT coalesce(source_key, id::text) AS id, content, metadata FROM {{schema}}.document WHERE {BY_ID}",
        values=values,
        names={"schema": schema},
    )
    found = {row["id"]: Stored(row["id"], row["content"], row["metadata"]) for row in rows}
    return [found[key] for key in dict.fromkeys(ids) if key in found]


def remove(knowledge_base: str, source_type: str, ids: Sequence[str]) -> Steps[int]:
    """Deletes the documents with these ids and returns how many there were."""
    values = id_values(source_type, ids)
    schema = yield from schema_of(knowledge_base)
    rows = yield Statement(
        f"WITH deleted AS (DELETE FROM {{schema}}.document WHERE {BY_ID} RETURNING 1) SELECT count(*) AS count FROM deleted",
        values=values,
        names={"schema": schema},
    )
    return int(rows[0]["count"])


def count(knowledge_base: str, source_type: str) -> Steps[int]:
    """How many documents of this type there are."""
    schema = yield from schema_of(knowledge_base)
    rows = yield Statement(
        "SELECT count(*) AS count FROM {schema}.document WHERE source_type = %(source_type)s",
        values={"source_type": source_type},
        names={"schema": schema},
    )
    return int(rows[0]["count"])


def browse(knowledge_base: str, source_type: str, filter: Mapping[str, Any]) -> Steps[list[Stored]]:
    """The documents that pass a filter of kb_search, the oldest first."""
    schema = yield from schema_of(knowledge_base)
    rows = yield Statement(
        # One statement, so that all pages see the same documents.
        "SELECT coalesce(d.source_key, d.id::text) AS id, d.content, d.metadata"
        " FROM generate_series(0, (SELECT count(*) FROM {schema}.document), %(page)s) AS place,"
        " LATERAL {function} AS found JOIN {schema}.document d ON d.id = found.document_id ORDER BY d.id",
        "kb_browse",
        values={"base": knowledge_base, "source_type": source_type, "page": PAGE, "filter": json(dict(filter))},
        names={"schema": schema},
        raw="%(base)s, source_type => %(source_type)s, match_count => %(page)s, match_offset => place, filter => %(filter)s",
    )
    return [Stored(row["id"], row["content"], row["metadata"]) for row in rows]


class Schemas(dict[str, str]):
    """The schemas of bases that searches know, since kb_list reads all bases. Each search checks the one that it takes."""


def find(knowledge_base: str, schemas: Schemas, **arguments: Any) -> Steps[list[Found]]:
    """kb_search, with the metadata of each document as it was given."""
    call = prepared({**arguments, "knowledge_base": knowledge_base})
    known = schemas.get(knowledge_base)
    if known is None:
        schemas[knowledge_base] = known = yield from schema_of(knowledge_base)
    try:
        rows = yield searched(call, known)
        if any(row["own_id"] is None for row in rows):
            # Another base has this name by now: documents of a search are in its own schema.
            schemas[knowledge_base] = known = yield from schema_of(knowledge_base)
            rows = yield searched(call, known)
    except psycopg.errors.UndefinedTable:
        # It was dropped. Whatever has its name next is looked up.
        schemas.pop(knowledge_base, None)
        raise
    return [
        Found(row["source"] or str(row["document_id"]), row["document_metadata"] or {}, from_row(SearchResult, row)) for row in rows
    ]


def searched(call: Mapping[str, Any], schema: str) -> Statement:
    """kb_search, joined to the documents."""
    return Statement(
        "SELECT found.*, d.id AS own_id, d.metadata AS document_metadata FROM {function} WITH ORDINALITY AS found"
        " LEFT JOIN {schema}.document d ON d.id = found.document_id ORDER BY found.ordinality",
        "kb_search",
        call,
        names={"schema": schema},
    )
