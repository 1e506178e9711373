"""Statements and what is made of their rows, written once for connections that block and for those that await.

An operation is a generator: it yields statements, receives the rows of each, and returns its result.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from psycopg import sql
from psycopg.types.json import Jsonb

T = TypeVar("T")
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Statement:
    """A statement with its parameters. `{function}` in the text is a call of a function of kb_rag with `arguments`."""

    text: str
    function: str = ""
    #: Arguments by name; one that is None is left out, so that the default of the database holds.
    arguments: Mapping[str, Any] | None = None
    #: Parameters of the rest of the text.
    values: Mapping[str, Any] | None = None
    #: Identifiers in the text.
    names: Mapping[str, str] | None = None
    #: The arguments as SQL, where they are no parameters but columns.
    raw: str | None = None

    def compose(self, schema: str | None) -> tuple[sql.Composed, dict[str, Any]]:
        """The statement for psycopg. `schema` is the one of kb_rag's functions; None leaves it to the search_path."""
        given = {name: value for name, value in (self.arguments or {}).items() if value is not None}
        function = sql.Identifier(schema, self.function) if schema else sql.Identifier(self.function)
        named = sql.SQL(", ").join(
            sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in given
        )
        call = sql.SQL("{}({})").format(function, named if self.raw is None else sql.SQL(self.raw))
        names = {name: sql.Identifier(value) for name, value in (self.names or {}).items()}
        # The texts are constants of this package.
        return sql.SQL(self.text).format(function=call, **names), {**given, **(self.values or {})}


Steps = Generator[Statement, Rows, T]


def rows_of(function: str, **arguments: Any) -> Statement:
    """A call of a function that returns rows."""
    return Statement("SELECT * FROM {function}", function, arguments)


def value_of(function: str, **arguments: Any) -> Statement:
    """A call of a function that returns one value, in the column `value`."""
    return Statement("SELECT {function} AS value", function, arguments)


def json(value: Any) -> Jsonb | None:
    """A JSON parameter, or None for None."""
    return None if value is None else Jsonb(value)


def vector(values: Sequence[float] | None) -> str | None:
    """A vector as pgvector reads it. Takes any sequence of numbers, such as an array of NumPy."""
    return None if values is None else "[" + ",".join(repr(float(value)) for value in values) + "]"


def schema_of(knowledge_base: str) -> Steps[str]:
    """The schema of a knowledge base. It is asked for each time, since a base can be renamed or created again."""
    rows = yield Statement(
        "SELECT schema FROM {function} WHERE name = %(base)s", "kb_list", values={"base": knowledge_base}
    )
    if rows:
        return str(rows[0]["schema"])
    # Raises the error of the database, whose hint offers a name that is near.
    yield rows_of("kb_stats", knowledge_base=knowledge_base)
    raise LookupError(f'knowledge base "{knowledge_base}" is not listed')
