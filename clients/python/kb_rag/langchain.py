"""LangChain: a vector store, a retriever and tools. Needs langchain-core (`pip install kb-rag-client[langchain]`).

The database embeds, so nothing here takes a model. The classes are in `kb_rag.langchain_store` and `kb_rag.langchain_tools`.
"""

from kb_rag.langchain_store import KbRagRetriever, KbRagVectorStore
from kb_rag.langchain_tools import KbRagSearchTool, search_tools

__all__ = ["KbRagRetriever", "KbRagSearchTool", "KbRagVectorStore", "search_tools"]
