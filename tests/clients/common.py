"""The database and the bases of the tests."""

import os
import re
from dataclasses import dataclass

import psycopg

DATABASE = os.environ["KB_RAG_TEST_DATABASE"]


def parameters():
    """The parameters of the conninfo, for clients that take none."""
    return psycopg.conninfo.conninfo_to_dict(DATABASE)


def embedding(text):
    """The vector of a query, as numbers."""
    with psycopg.connect(DATABASE) as db:
        [(vector,)] = db.execute("SELECT kb_embed(%s)::text", [text]).fetchall()
    return [float(number) for number in vector[1:-1].split(",")]


@dataclass
class Base:
    """A knowledge base."""

    name: str

    @property
    def slug(self) -> str:
        """What of its name is in names of SQL."""
        return re.sub("[^a-z0-9]", "_", self.name)

    @property
    def schema(self) -> str:
        """Where its tables are."""
        return f"kb_{self.slug}"

    @property
    def tool(self) -> str:
        """The name of its search tool."""
        return f"search_{self.slug}"
