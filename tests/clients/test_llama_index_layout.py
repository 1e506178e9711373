"""LlamaIndex's own vector store on the view that kb_expose makes in the layout of LlamaIndex."""

import psycopg
from common import DATABASE, embedding, parameters
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.vector_stores.postgres import PGVectorStore

QUESTION = "How do I get my money back?"


def store_on(base):
    with psycopg.connect(DATABASE) as db:
        db.execute("SELECT kb_expose(%s, 'llamaindex')", [base.name])
    at = "postgres@/{dbname}?host={host}".format(**parameters())
    return PGVectorStore.from_params(
        connection_string=f"postgresql+psycopg2://{at}",
        async_connection_string=f"postgresql+asyncpg://{at}",
        schema_name=base.schema,
        table_name=base.slug,
        embed_dim=384,
        perform_setup=False,
    )


def test_layout(filled):
    store = store_on(filled)
    query = VectorStoreQuery(query_embedding=embedding(QUESTION), similarity_top_k=1)
    [node] = store.query(query).nodes
    assert node.get_content().startswith("You can return any item")
    query.filters = MetadataFilters(filters=[MetadataFilter(key="title", value="Delivery")])
    [node] = store.query(query).nodes
    assert node.metadata["title"] == "Delivery"


async def test_layout_awaited(filled):
    [node] = (await store_on(filled).aquery(VectorStoreQuery(query_embedding=embedding(QUESTION), similarity_top_k=1))).nodes
    assert node.get_content().startswith("You can return any item")
