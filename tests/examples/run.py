"""Runs the programs of docs/guide/agents.md against the server, with a chat model that is a script.

The model makes the mistakes that models make, then searches, and answers with what the tool said; so the answer shows that the
program passed everything on.
usage: run.py PAGE PROGRAM DATABASE_URL COMMAND…     (COMMAND gets the program's path and the question)
"""

import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

QUESTION = "How do I get my money back?"
PASSAGE = "You can return any item within thirty days. The money goes back to the card you paid with."
# What the model asks for: the name of a tool and its arguments, and how the result begins.
CALLS = [
    ("search_support", '{"query": "cut', "the arguments are not valid JSON"),
    ("search_web", '{"query": "money"}', "error: "),
    ("search_support", '{"q": "money"}', 'unknown argument "q"; known are query'),
    ("search_support", '{"query": "money back"}', f"[Source: refunds.pdf] {PASSAGE}"),
]
EXPECTED = f"""I found: [Source: refunds.pdf] {PASSAGE}
source: refunds.pdf
"""


class Model(http.server.BaseHTTPRequestHandler):
    """Answers as a chat model that calls tools; notes in `faults` what a request lacks."""

    faults = []

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [tool["function"]["name"] for tool in request["tools"]]
        if names != ["search_support", "search_knowledge", "read_knowledge"]:
            self.faults.append(f"the tools are {names}")
        if self.headers["Authorization"] != "Bearer key":
            self.faults.append("the key is missing")
        results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if len(results) < len(CALLS):
            name, arguments, _ = CALLS[len(results)]
            call = {"id": f"call_{len(results)}", "type": "function", "function": {"name": name, "arguments": arguments}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        else:
            self.faults += [f"{result!r} does not begin with {begin!r}"
                            for result, (_, _, begin) in zip(results, CALLS) if not result.startswith(begin)]
            message = {"role": "assistant", "content": f"I found: {results[-1]}"}
        body = json.dumps({"choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    page, program, database, *command = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        found = re.search(rf"^```\w+ {re.escape(program)}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"{page} has no program {program}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {**os.environ, "DATABASE_URL": database, "OPENAI_API_KEY": "key",
                   "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1"}
    # Node looks for modules beside the program.
    with tempfile.TemporaryDirectory(dir=os.environ.get("EXAMPLE_MODULES")) as directory:
        path = os.path.join(directory, program)
        with open(path, "w", encoding="utf-8") as file:
            file.write(found.group(1))
        result = subprocess.run([*command, path, *QUESTION.split()], text=True, capture_output=True, env=environment, timeout=120)
    server.shutdown()
    if result.returncode != 0 or result.stdout != EXPECTED or Model.faults:
        sys.exit(f"{program} exits with {result.returncode} and prints\n{result.stdout}{result.stderr}instead of\n{EXPECTED}{Model.faults}")
    print(f"   {program} answers", file=sys.stderr)


main()
