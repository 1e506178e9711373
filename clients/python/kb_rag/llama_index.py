"""LlamaIndex: a retriever. Needs llama-index-core (`pip install kb-rag-client[llamaindex]`).

For a vector store of LlamaIndex itself, `SELECT kb_expose('name', 'llamaindex')` makes the table that its PGVectorStore reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from kb_rag import _store
from kb_rag._connections import AsyncDatabase, Database
from kb_rag._frameworks import Clients, check_arguments, check_filter
from kb_rag._steps import Steps
from kb_rag._store import Found
from kb_rag.async_client import AsyncClient
from kb_rag.client import Client


class KbRagRetriever(BaseRetriever):
    """Retrieves chunks of a knowledge base, best first, as nodes.

    The id of a node is that of the chunk. Its source node is the document: its id is the source_key. `score` is the
    similarity, -1 to 1, or None for a chunk without a vector; the order is that of kb_search, in which keywords count, too.
    The metadata has chunk_id, start_char, end_char, page, similarity, relevance, title, source, heading and knowledge_base,
    unless the document has keys of these names.

    Args:
        database: a conninfo, a connection of psycopg, a pool, or a `Client`.
        knowledge_base: the name of the base.
        similarity_top_k: how many chunks at most, 1 to 10,000.
        filter: an object that the metadata must contain, or one with the operators of kb_search.
        source_type: only documents of this kind.
        async_database: the same for `aretrieve`, which otherwise runs in a thread.
        schema: the schema of kb_rag's functions, where it is not in the search_path.
        callback_manager: of LlamaIndex.
        search_arguments: further arguments of `Client.search`, such as `mode="semantic"`.

    Raises:
        TypeError: an argument that kb_search does not have, or a filter that is no object.
    """

    def __init__(
        self,
        database: Database | Client,
        knowledge_base: str,
        *,
        similarity_top_k: int = 5,
        filter: Mapping[str, Any] | None = None,
        source_type: str | None = None,
        async_database: AsyncDatabase | AsyncClient | None = None,
        schema: str | None = None,
        callback_manager: CallbackManager | None = None,
        **search_arguments: Any,
    ) -> None:
        check_arguments(search_arguments)
        check_filter(filter)
        self._clients = Clients(database, async_database, schema)
        self._arguments = {
            **search_arguments,
            "match_count": similarity_top_k,
            "filter": filter,
            "source_type": source_type,
        }
        self._knowledge_base = knowledge_base
        self._schemas = _store.Schemas()
        super().__init__(callback_manager=callback_manager)

    def _find(self, query: QueryBundle) -> Steps[list[NodeWithScore]]:
        """The search as an operation."""
        found = yield from _store.find(
            self._knowledge_base, self._schemas, query=query.query_str, query_embedding=query.embedding, **self._arguments
        )
        return [node(each) for each in found]

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The nodes for a query."""
        return self._clients.sync.run(self._find(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """As `_retrieve`."""
        return await self._clients.arun(self._find(query_bundle))


def node(found: Found) -> NodeWithScore:
    """A chunk as a node of LlamaIndex."""
    metadata = found.described(("relevance", "title", "source", "heading", "knowledge_base"))
    # Ids and scores would only distract a model from the text.
    hidden = [name for name in metadata if name not in found.metadata and name not in ("title", "source", "page", "heading")]
    made = TextNode(
        id_=str(found.chunk.chunk_id),
        text=found.chunk.content,
        metadata=metadata,
        start_char_idx=found.chunk.start_char,
        end_char_idx=found.chunk.end_char,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=found.id)},
    )
    return NodeWithScore(node=made, score=found.chunk.similarity)
