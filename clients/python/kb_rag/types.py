"""What the functions of kb_rag return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar
from uuid import UUID

T = TypeVar("T")


def from_row(kind: type[T], row: Mapping[str, Any]) -> T:
    """Makes a dataclass of a row. Columns that it does not have, of a newer kb_rag, are left out."""
    return kind(**{field.name: row.get(field.name) for field in fields(kind)})  # type: ignore[arg-type]


@dataclass(frozen=True)
class SearchResult:
    """A chunk that a search found.

    `similarity` is the cosine similarity to the query, from -1 to 1, or None where the chunk has no vector or vectors were
    not searched. `relevance`, from 0 to 1, says what that means with the model of the knowledge base. `score` orders the
    results of one search and compares with no other search.
    """

    chunk_id: UUID
    document_id: UUID
    knowledge_base: str
    #: Title and source_key of the document; None where it has none.
    title: str | None
    source: str | None
    #: The text of the chunk, as it stands in the document.
    content: str
    score: float
    similarity: float | None
    #: BM25, from 0; None where the chunk has none of the words, or was not looked up.
    keyword_score: float | None
    #: Places in vector search and in keyword search, from 1; None where it did not find the chunk.
    semantic_rank: int | None
    keyword_rank: int | None
    #: The metadata of the chunk: that of its document, and keys that kb_rag adds, such as chunkIndex.
    metadata: dict[str, Any]
    source_type: str
    heading: str | None
    #: Page of the document from 1; None where there are no pages.
    page: int | None
    #: Place among the chunks of the document, from 0.
    ordinal: int
    #: Where the chunk is in the content of the document, in characters from 0; the end is exclusive.
    start_char: int
    end_char: int
    relevance: float | None
    #: The header of the table whose rows the chunk is.
    context: str | None
    #: The part of the content with the most words of the query; None unless it was asked for.
    snippet: str | None
    #: Copies of the chunk among the candidates; None unless duplicates="merge".
    duplicates: list[dict[str, Any]] | None


@dataclass(frozen=True)
class Evaluation:
    """How a knowledge base answers its questions with one combination of search arguments.

    `first_hit`, `hits_5` and `hits_k` are shares of the questions, `mrr` and `ndcg_10` means over them, all from 0 to 1, and
    None where no question expects an answer. `intervals` has the 95 % interval of each.
    """

    #: The number of the combination, from 1.
    place: int
    #: The arguments of the search.
    arguments: dict[str, Any]
    questions: int
    #: Questions whose expected documents do not exist.
    missing: int
    #: Questions that expect no answer.
    without_answer: int
    first_hit: float | None
    hits_5: float | None
    hits_k: float | None
    mrr: float | None
    ndcg_10: float | None
    intervals: dict[str, Any] | None
    answered_by_mistake: int | None
    refused_by_mistake: int | None
    milliseconds: float | None


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool that a chat model called."""

    #: What the model reads.
    text: str
    #: Whether the text is about a mistake of the model, such as an unknown argument.
    is_error: bool
    #: The chunks that were found, to show to people: each has source, filename, kb_id, title, similarity, metadata and more.
    sources: list[dict[str, Any]]
