"""Filters of Haystack as filters of kb_search."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from haystack.errors import FilterError

COMPARISONS = {"==": "$eq", "!=": "$ne", ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte", "in": "$in", "not in": "$nin"}
ORDERED = (">", ">=", "<", "<=")
LOGIC = ("AND", "OR", "NOT")
# No document passes it.
NOTHING: dict[str, Any] = {"$or": [{"$source": {"$in": []}}]}


def translate(filters: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A filter of Haystack as one of kb_search; None for none.

    Raises:
        FilterError: a filter that is incomplete, or has an operator, a field or a value that cannot be compared.
    """
    if not filters:
        return None
    if not isinstance(filters, Mapping):
        raise FilterError("filters must be a dictionary")
    if "field" in filters:
        return comparison(filters)
    if "operator" not in filters or "conditions" not in filters:
        raise FilterError(f"a filter needs field, operator and value, or operator and conditions: {dict(filters)}")
    operator = filters["operator"]
    if operator not in LOGIC:
        raise FilterError(f"unknown operator {operator!r}; known are {', '.join(LOGIC)}")
    conditions = [translate(condition) or {} for condition in filters["conditions"]]
    if operator == "OR":
        return {"$or": conditions}
    return {"$and": conditions} if operator == "AND" else {"$not": {"$and": conditions}}


def comparison(filters: Mapping[str, Any]) -> dict[str, Any]:
    """A comparison of one field."""
    for name in ("operator", "value"):
        if name not in filters:
            raise FilterError(f"the comparison {dict(filters)} has no {name}")
    field, operator, value = filters["field"], filters["operator"], filters["value"]
    if operator not in COMPARISONS:
        raise FilterError(f"unknown operator {operator!r}; known are {', '.join(COMPARISONS)}")
    key = key_of(field)
    if operator in ("in", "not in") and not isinstance(value, list):
        raise FilterError(f"the value of {operator!r} must be a list, not {type(value).__name__}")
    if operator in ORDERED:
        if value is None:
            return NOTHING
        check_ordered(operator, value)
    if isinstance(value, datetime):
        value = value.isoformat()
    if operator == "==" and value is None:
        # Haystack takes a missing key for None.
        return {"$or": [{key: {"$exists": False}}, {key: {"$eq": None}}]}
    if operator == "!=" and value is None:
        return {key: {"$exists": True, "$ne": None}}
    return {key: {COMPARISONS[operator]: value}}


def key_of(field: str) -> str:
    """The key of kb_search for a field: the id is the source_key, all others are metadata."""
    if field == "id":
        return "$source"
    if field in ("content", "blob", "embedding", "sparse_embedding", "score", "dataframe"):
        raise FilterError(f"{field} cannot be filtered by: use id, or a field of meta")
    return field.removeprefix("meta.")


def check_ordered(operator: str, value: object) -> None:
    """Raises FilterError for a value that is neither a number nor a date."""
    if isinstance(value, str):
        try:
            # Python 3.10 does not read the Z.
            datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError as error:
            raise FilterError(f"{value!r} cannot be compared with {operator!r}: give a number or a date in ISO 8601") from error
    elif isinstance(value, bool) or not isinstance(value, (int, float, datetime)):
        raise FilterError(f"{type(value).__name__} cannot be compared with {operator!r}")
