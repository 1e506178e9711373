"""Client of kb_rag, the PostgreSQL extension that chunks, embeds, indexes and searches documents.

`Client` and `AsyncClient` call its SQL functions. `kb_rag.langchain`, `kb_rag.llama_index` and `kb_rag.haystack` are for
these frameworks, `kb_rag.tools` is for the APIs of chat models. Importing this package opens no connection.
"""

from kb_rag.client import AsyncClient, Client
from kb_rag.types import Evaluation, SearchResult, ToolResult

__all__ = ["AsyncClient", "Client", "Evaluation", "SearchResult", "ToolResult"]
__version__ = "0.4.0"
