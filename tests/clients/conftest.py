"""Bases for each test; and a test that is skipped fails."""

import itertools

import psycopg
import pytest
from common import DATABASE, Base

NUMBERS = itertools.count(1)
DOCUMENTS = [
    ("manual/refunds.pdf", "Refunds", "You can return any item within thirty days. The money goes back to the card you paid with."),
    ("https://shop.example/help/delivery", "Delivery", "Parcels within Europe arrive in three to five working days."),
    ("passwords", "Passwords", "Choose reset on the login page. We send a link that is valid for one hour."),
]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped or failed as expected: {report.longrepr}"


def created(*, fill=False, **settings):
    base = Base(f"test {next(NUMBERS)}")
    named = "".join(f", {name} => {value!r}" for name, value in settings.items())
    with psycopg.connect(DATABASE, autocommit=True) as db:
        db.execute(f"SELECT kb_create(%s{named})", [base.name])
        for key, title, content in DOCUMENTS if fill else []:
            db.execute("SELECT kb_add(%s, %s, title => %s, source_key => %s)", [base.name, content, title, key])
    yield base
    with psycopg.connect(DATABASE, autocommit=True) as db:
        db.execute("SET client_min_messages = warning")
        db.execute("SELECT kb_drop(%s)", [base.name])


@pytest.fixture()
def base():
    """An empty base."""
    yield from created()


@pytest.fixture()
def unchunked():
    """An empty base whose texts are not cut."""
    yield from created(chunk_strategy="none")


@pytest.fixture()
def filled():
    """A base with three documents."""
    yield from created(fill=True)
