"""Knowledge bases filled and searched through psql."""

import subprocess


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class Database:
    def __init__(self, psql):
        self.psql = psql

    def run(self, sql):
        """Runs SQL in psql; returns its output."""
        command = [*self.psql, "-qAt", "-F", "\t"]
        return subprocess.run(command, input=sql, text=True, capture_output=True, check=True).stdout

    def index(self, name, documents, model, strategy, text_config):
        """Creates the base and fills it in one statement, which makes all vectors. Without a text_config it has the server's."""
        rows = ",\n".join(
            f"({literal(title)}, {literal(text)}, {literal(docid)})" for docid, (title, text) in documents.items()
        )
        language = f", text_config => {literal(text_config)}" if text_config else ""
        self.run(
            "SET client_min_messages = warning;\n"
            "SET kb_rag.inline_chunks = 1000000;\n"
            f"SELECT kb_drop(name) FROM kb_list() WHERE name = {literal(name)};\n"
            f"SELECT kb_create({literal(name)}, model => {literal(model)}, chunk_strategy => {literal(strategy)}"
            f"{language}) AS id \\gset\n"
            "SELECT schema FROM kb_list() WHERE id = :'id' \\gset\n"
            f"INSERT INTO :\"schema\".document (title, content, source_key) VALUES\n{rows};\n"
        )
        # Without all vectors, everything would be measured wrong.
        missing = self.run(
            "SELECT string_agg(knowledge_base, ', ') FROM kb_rag.status "
            f"WHERE knowledge_base = {literal(name)} AND coverage IS DISTINCT FROM 100;\n"
        ).strip()
        if missing:
            raise RuntimeError(f"chunks of {missing} have no vector")

    def drop(self, name):
        self.run(f"SELECT kb_drop({literal(name)});\n")

    def search(self, name, queries, method, count):
        """Runs all queries; returns [(document, score, chunk)], best first, by query. `method` is a function and its arguments
        besides query, base and number of results."""
        function, arguments = method
        rows = ",\n".join(f"({literal(qid)}, {literal(text)})" for qid, text in queries.items())
        answer = self.run(
            f"SELECT q.id, r.source, r.score, r.chunk_id FROM (VALUES {rows}) AS q (id, text), LATERAL (\n"
            "SELECT source, score, chunk_id, row_number() OVER () AS rank\n"
            f"FROM {function}(q.text, {literal(name)}, match_count => {count}{arguments})) r ORDER BY q.id, r.rank;\n"
        )
        found = {qid: [] for qid in queries}
        for line in answer.splitlines():
            qid, docid, score, chunk = line.split("\t")
            found[qid].append((docid, float(score), chunk))
        return found
