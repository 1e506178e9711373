"""Runs operations on what the caller passed in: a connection, a pool or a conninfo."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol, TypeVar

import psycopg
from psycopg.rows import dict_row

from kb_rag._steps import Rows, Statement, Steps

T = TypeVar("T")
logger = logging.getLogger("kb_rag")


class Pool(Protocol):
    """A pool of connections, such as psycopg_pool.ConnectionPool."""

    def connection(self) -> Any:
        """A context manager that lends a connection."""


Database = str | psycopg.Connection[Any] | Pool
AsyncDatabase = str | psycopg.AsyncConnection[Any] | Pool


def log_notice(notice: psycopg.errors.Diagnostic) -> None:
    """Notices on connections that this package opened go to the logger "kb_rag"."""
    level = logging.WARNING if notice.severity_nonlocalized == "WARNING" else logging.INFO
    hint = f" ({notice.message_hint})" if notice.message_hint else ""
    logger.log(level, "%s%s", notice.message_primary, hint)


def check(database: object, awaited: bool) -> None:
    """Raises TypeError for what is no database, or one of the other kind."""
    if isinstance(database, str):
        return
    if not isinstance(database, (psycopg.Connection, psycopg.AsyncConnection)) and not hasattr(database, "connection"):
        raise TypeError(f"a connection of psycopg, a pool or a conninfo is needed, not {type(database).__name__}")
    if inspect.iscoroutinefunction(getattr(database, "close", None)) != awaited:
        wanted = "AsyncClient" if not awaited else "Client"
        raise TypeError(f"{type(database).__name__} is for {wanted}")


class Connections:
    """Lends connections that block."""

    def __init__(self, database: Database) -> None:
        check(database, awaited=False)
        self.database = database
        self._own: psycopg.Connection[Any] | None = None
        # Blocks of a transaction on one connection must not interleave.
        self._lock = threading.RLock()

    @contextmanager
    def lend(self) -> Iterator[psycopg.Connection[Any]]:
        """The caller's connection, one of the pool, or the own one, which is opened when it is first used."""
        if not isinstance(self.database, (str, psycopg.Connection)):
            with self.database.connection() as connection:
                yield connection
            return
        with self._lock:
            if isinstance(self.database, psycopg.Connection):
                yield self.database
                return
            if self._own is None or self._own.closed:
                self._own = psycopg.connect(self.database, autocommit=True)
                self._own.add_notice_handler(log_notice)
            yield self._own

    def run(self, steps: Steps[T], schema: str | None, atomic: bool) -> T:
        """Runs an operation, in one transaction if it is atomic or the connection has no autocommit."""
        with self.lend() as connection:
            if connection.autocommit and not atomic:
                return self._drive(connection, steps, schema)
            with connection.transaction():
                return self._drive(connection, steps, schema)

    def _drive(self, connection: psycopg.Connection[Any], steps: Steps[T], schema: str | None) -> T:
        """Runs the statements of an operation one after the other."""
        with connection.cursor(row_factory=dict_row) as cursor:
            try:
                statement: Statement = next(steps)
                while True:
                    try:
                        cursor.execute(*statement.compose(schema))
                        rows: Rows = cursor.fetchall() if cursor.description else []
                    except psycopg.Error as error:
                        # The operation sees its errors, to forget what it knew. It raises them again.
                        statement = steps.throw(error)
                    else:
                        statement = steps.send(rows)
            except StopIteration as end:
                result: T = end.value
                return result

    def close(self) -> None:
        """Closes the own connection. The caller's connection or pool stays open."""
        with self._lock:
            if self._own is not None:
                self._own.close()
                self._own = None


class AsyncConnections:
    """Lends connections that are awaited."""

    def __init__(self, database: AsyncDatabase) -> None:
        check(database, awaited=True)
        self.database = database
        self._own: psycopg.AsyncConnection[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
        """As `Connections.lend`."""
        if not isinstance(self.database, (str, psycopg.AsyncConnection)):
            async with self.database.connection() as connection:
                yield connection
            return
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            # A lock and a connection of a loop that has ended cannot be awaited: asyncio.run() was called again.
            if self._own is not None:
                self._own.pgconn.finish()
            self._loop, self._lock, self._own = loop, asyncio.Lock(), None
        async with self._lock:
            if isinstance(self.database, psycopg.AsyncConnection):
                yield self.database
                return
            if self._own is None or self._own.closed:
                self._own = await psycopg.AsyncConnection.connect(self.database, autocommit=True)
                self._own.add_notice_handler(log_notice)
            yield self._own

    async def run(self, steps: Steps[T], schema: str | None, atomic: bool) -> T:
        """As `Connections.run`."""
        async with self.lend() as connection:
            if connection.autocommit and not atomic:
                return await self._drive(connection, steps, schema)
            async with connection.transaction():
                return await self._drive(connection, steps, schema)

    async def _drive(self, connection: psycopg.AsyncConnection[Any], steps: Steps[T], schema: str | None) -> T:
        """Runs the statements of an operation one after the other."""
        async with connection.cursor(row_factory=dict_row) as cursor:
            try:
                statement: Statement = next(steps)
                while True:
                    try:
                        await cursor.execute(*statement.compose(schema))
                        rows: Rows = await cursor.fetchall() if cursor.description else []
                    except psycopg.Error as error:
                        # The operation sees its errors, to forget what it knew. It raises them again.
                        statement = steps.throw(error)
                    else:
                        statement = steps.send(rows)
            except StopIteration as end:
                result: T = end.value
                return result

    async def close(self) -> None:
        """As `Connections.close`."""
        if self._own is not None:
            own, self._own = self._own, None
            await own.close()
