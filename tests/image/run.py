"""Runs the image kb_rag as compose.yaml says, by buildah: the entrypoint, the init script, a search, the page, health checks, a
restart, an update of an old volume, and the steps of the example for CI. dev/test-image calls it, where only loopback is.
usage: run.py IMAGE VERSION OLD_SQL HOME"""
import http.client
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from containers import Buildah, Compose, load_yaml, wait_until  # noqa: E402

EXAMPLE = "docs/examples/github-actions.yml"
DATABASE = "knowledge"


def psql(container, sql, *arguments, user="postgres"):
    """What a statement answers in the database's container."""
    status, output = container.execute(
        "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", DATABASE, *arguments, user=user, input="SET client_min_messages = warning;\n" + sql
    )
    assert status == 0, f"{sql}: {output}"
    return output


def equal(found, expected, what):
    assert found == expected, f"{what}: {found!r} instead of {expected!r}"


def call(method, path, token=None, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", 8534, timeout=60)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def health():
    """What the page answers to a health check; None while it does not listen."""
    try:
        return call("GET", "/api/v1/health")[0]
    except ConnectionRefusedError:
        return None


DOCUMENTS = """
SELECT 'made' FROM kb_create('support');
INSERT INTO kb_support.document (title, content) VALUES
    ('Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.'),
    ('Delivery', 'Parcels within Europe arrive in three to five working days.');
"""
QUESTION = "SELECT title FROM kb_search('do I get my money returned?', 'support', 'semantic', 1);"


class Run:
    def __init__(self, buildah, image, version, old_sql, home):
        self.buildah, self.image, self.version, self.old_sql = buildah, image, version, old_sql
        self.home = home
        self.containers = []

    def compose(self, name, environment=None):
        home = os.path.join(self.home, name)
        os.makedirs(home)
        return Compose(self.buildah, "compose.yaml", self.image, home, environment)

    def container(self, compose, service, image=None):
        container = compose.container(service, image)
        self.containers.append(container)
        return container

    def secrets(self, compose):
        return self.container(compose, "secrets").run_to_end()

    def made_secrets(self, compose):
        """Files are made once, and each has one user."""
        made = self.secrets(compose)
        equal(sorted(made.split()[1::2]), ["page_password", "postgres_password", "token"], "made secrets")
        directory = os.path.join(compose.home, "secrets")
        before = {name: open(os.path.join(directory, name), encoding="utf-8").read() for name in os.listdir(directory)}
        equal(sorted(before), ["page_password", "pgpass", "postgres_password", "token"], "files")
        assert len({*before.values()}) == 4 and all(len(value.strip()) >= 32 for value in before.values()), "secrets are random"
        equal(self.secrets(compose), "", "made by the second run")
        after = {name: open(os.path.join(directory, name), encoding="utf-8").read() for name in os.listdir(directory)}
        equal(after, before, "files after the second run")
        owners = {name: (os.stat(os.path.join(directory, name)).st_uid, oct(os.stat(os.path.join(directory, name)).st_mode)) for name in before}
        mode = "0o100400"
        expected = {"postgres_password": (0, mode), "page_password": (999, mode), "token": (65534, mode), "pgpass": (65534, mode)}
        equal(owners, expected, "owners")
        return {name: value.strip() for name, value in before.items()}

    def started(self, compose, secrets):
        """The entrypoint runs the init script. It is healthy only then."""
        database = self.container(compose, "db")
        database.start()
        lines = ("docker-entrypoint.sh: running /docker-entrypoint-initdb.d/kb_rag.sh", "init process complete; ready for start up")
        wait_until(database.is_healthy, "the new server is healthy")
        log = database.output()
        for line in lines:
            assert line in log, f"healthy, but {line!r} is not in the log: {log}"
        for name in ("postgres_password", "page_password", "token"):
            assert secrets[name] not in log, f"{name} is in the log"
        equal(psql(database, "SELECT extversion FROM pg_extension WHERE extname = 'kb_rag'"), self.version, "version")
        roles = psql(database, "SELECT rolname, rolsuper, rolcanlogin FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1")
        equal(roles, "kb_page|f|t\npostgres|t|t", "roles")
        for password, expected in ((secrets["postgres_password"], 0), (secrets["page_password"], 2)):
            status, output = database.execute("env", f"PGPASSWORD={password}", "psql", "-XqAt", "-h", "db", "-U", "postgres", "-c", "SELECT 1")
            equal(status, expected, f"a login over TCP: {output}")
        return database

    def searched(self, database):
        """Vectors, files and keywords, in the container as it is."""
        equal(psql(database, DOCUMENTS + QUESTION), "made\nRefunds", "search")
        equal(psql(database, "SELECT variant_in_use FROM kb_rag.status"), "int8", "weights")
        read = psql(database, "SELECT kb_add_file('support', convert_to('<title>Terms</title><p>Zebras are lent for a day.', 'UTF8'), 'terms.html') \\g /dev/null\n"
                    "SELECT title FROM kb_search('zebras', 'support', 'keyword', 1)")
        equal(read, "Terms", "a file")

    def paged(self, compose, secrets):
        """kb-rag serve, with a token and as a role that is no superuser."""
        page = self.container(compose, "page").start().wait_healthy()
        equal(call("GET", "/api/v1/session")[0], 401, "without a token")
        equal(call("GET", "/api/v1/session", "x" + secrets["token"])[0], 401, "with another token")
        status, body = call("GET", "/api/v1/session", secrets["token"])
        equal((status, json.loads(body)["role"], json.loads(body)["may_create"]), (200, "kb_page", True), "the role of the page")
        status, body = call("GET", "/")
        assert status == 200 and "<html" in body, f"the page: {status} {body[:200]}"
        equal(call("POST", "/api/v1/bases", secrets["token"], {"name": "kitchen"})[0], 201, "a base made on the page")
        status, body = call("POST", "/api/v1/documents", secrets["token"], {"knowledge_base": "kitchen", "title": "Soup", "content": "Boil the pumpkin for an hour."})
        equal(status, 201, f"a document made on the page: {body}")
        status, body = call("POST", "/api/v1/search", secrets["token"], {"query": "how long does a squash cook?", "knowledge_base": "kitchen"})
        equal((status, [row["title"] for row in json.loads(body)["results"]]), (200, ["Soup"]), "a search on the page")
        equal(page.execute("cat", "/run/kb_rag/token"), (0, secrets["token"]), "the token in the page's container")
        for name in ("postgres_password", "page_password"):
            status, output = page.execute("cat", f"/run/kb_rag/{name}")
            assert status != 0 and secrets[name] not in output, f"the page's container reads {name}"
        return page

    def restarted(self, compose, database, page):
        """On the same volume nothing is initialized again. The page waits for the database."""
        log = database.stop()
        after = log.split("ready for start up", 1)[1]
        assert "received fast shutdown request" in after and "database system is shut down" in after, f"not a fast shutdown: {after}"
        assert not database.is_healthy(), "healthy without a server"
        wait_until(lambda: not page.is_healthy(), "the page is not healthy without a server")
        equal(health(), 503, "the page without a server")
        again = self.container(compose, "db").start().wait_healthy()
        assert "Skipping initialization" in again.output(), again.output()
        equal(psql(again, QUESTION), "Refunds", "search after a restart")
        page.wait_healthy()
        page.stop()
        return again

    def with_own_secrets(self):
        """A password with the characters that a passfile escapes, set again by kb-rag-init for a volume that has another."""
        compose = self.compose("own", {"KB_RAG_SECRETS": "given"})
        directory = os.path.join(compose.home, "given")
        os.mkdir(directory)
        given = {"token": "a-token-of-my-own", "page_password": "colon:back\\slash 'quote"}
        for name, value in given.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(value)
        equal(self.secrets(compose).split(), ["made", "postgres_password"], "what was not given is made")
        database = self.container(compose, "db").start().wait_healthy()
        page = self.container(compose, "page").start().wait_healthy()
        equal(call("GET", "/api/v1/session", given["token"])[0], 200, "with the token that was given")
        page.stop()
        # A new password is in force after kb-rag-init, and not before.
        again = self.container(compose, "secrets")
        status, output = again.execute("kb-rag-secrets", "page_password")
        equal((status, output), (0, "made page_password"), "a password made again")
        page = self.container(compose, "page").start()
        equal(wait_until(health, "the page listens"), 503, "with a password that the role does not have")
        assert not page.is_healthy(), "healthy with a password that the role does not have"
        equal(database.execute("kb-rag-init")[0], 0, "kb-rag-init again")
        page.wait_healthy()
        page.stop()
        database.stop()

    def upgraded(self):
        """A volume of an image with an older version works with the new image, before and after the update."""
        old_version = re.search(r"kb_rag--(.*)\.sql$", self.old_sql)[1]
        container = self.buildah("from", "--pull-never", self.image)
        extension = "/usr/share/postgresql/18/extension"
        self.buildah("copy", container, self.old_sql, extension)
        self.buildah("run", container, "--", "sed", "-i", f"s/^default_version.*/default_version = '{old_version}'/", f"{extension}/kb_rag.control")
        old_image = self.buildah("commit", "--quiet", "--rm", "--format", "docker", container, "kb_rag:old")
        compose = self.compose("old")
        self.secrets(compose)
        installed = "SELECT extversion FROM pg_extension WHERE extname = 'kb_rag'"
        old = self.container(compose, "db", "kb_rag:old").start().wait_healthy()
        equal(psql(old, installed), old_version, "version of the old volume")
        equal(psql(old, DOCUMENTS + QUESTION), "made\nRefunds", "search in the old volume")
        before = psql(old, "SELECT title, content FROM kb_support.document ORDER BY 1")
        old.stop()
        new = self.container(compose, "db").start().wait_healthy()
        equal(psql(new, installed), old_version, "version before the update")
        equal(psql(new, QUESTION), "Refunds", "search before the update")
        psql(new, "ALTER EXTENSION kb_rag UPDATE")
        equal(psql(new, installed), self.version, "version after the update")
        equal(psql(new, QUESTION), "Refunds", "search after the update")
        equal(psql(new, "SELECT title, content FROM kb_support.document ORDER BY 1"), before, "documents after the update")
        equal(psql(new, "SELECT kb_reconcile('support')::text \\g /dev/null\nSELECT coverage::int, failed FROM kb_rag.status"), "100|0", "status")
        new.stop()
        self.remove()
        self.buildah("rmi", old_image)

    def example(self, database):
        """The steps of the example for CI, with the environment of its job."""
        job = load_yaml(EXAMPLE)["jobs"]["test"]
        steps = [step for step in job["steps"] if "run" in step]
        assert len(steps) >= 2, steps
        password = job["services"]["postgres"]["env"]["POSTGRES_PASSWORD"]
        psql(database, f"ALTER ROLE postgres PASSWORD '{password}'")
        psql(database, "CREATE DATABASE ci")
        environment = {**job["env"], "PGHOST": "db", "PGDATABASE": "ci"}
        for step in steps:
            values = [f"{name}={value}" for name, value in environment.items()]
            status, output = database.execute("env", *values, "bash", "-euo", "pipefail", "-c", step["run"])
            assert status == 0, f"{step['run']}: {output}"

    def remove(self):
        for container in self.containers:
            container.remove()
        self.containers = []


def main():
    image, version, old_sql, home = sys.argv[1:]
    run = Run(Buildah(os.environ["BUILDAH"]), image, version, old_sql, home)
    passed, began = 0, time.monotonic()

    def done(what):
        nonlocal passed, began
        passed += 1
        now = time.monotonic()
        print(f"   {what}: {now - began:.1f} s", file=sys.stderr)
        began = now

    try:
        compose = run.compose("new")
        secrets = run.made_secrets(compose)
        done("secrets")
        database = run.started(compose, secrets)
        done("entrypoint, init script, health check, roles")
        run.searched(database)
        done("search by vectors and keywords, a file")
        page = run.paged(compose, secrets)
        done("kb-rag serve: token, role, base, document, search")
        database = run.restarted(compose, database, page)
        done("restart on the same volume")
        run.example(database)
        done("steps of the example for CI")
        database.stop()
        run.with_own_secrets()
        done("secrets that are given, and changed")
        run.upgraded()
        done("update of a volume of an older version")
    finally:
        run.remove()
        subprocess.run(["rm", "-rf", home], check=True)
    print(f"{passed} passed, 0 failed")


main()
