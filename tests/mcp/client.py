"""The Python SDK, over standard input and output and over HTTP, with each protocol; and what the way over the program costs."""

import asyncio
import json
import os
import statistics
import subprocess
import time

from mcp import Client
from mcp.client.stdio import StdioServerParameters

PSQL = json.loads(os.environ["PSQL"])
COMMAND = [os.environ["KB_RAG"], "mcp", "--database", os.environ["DATABASE"]]
QUESTION = {"query": "What does the kowari eat?"}
CALLS = 200


def sql(text):
    command = [*PSQL, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def http():
    server = subprocess.Popen([*COMMAND, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    return server, server.stderr.readline().split()[-1]


async def check(name, server, mode):
    async with Client(server, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["search_notes", "search_knowledge", "read_knowledge", "search", "fetch"], names
        found = await client.call_tool("search_notes", QUESTION)
        assert not found.is_error and "<passages " in found.content[0].text, found
        assert found.structured_content["sources"], found
        mistake = await client.call_tool("search_notes", {"q": "kowari"})
        assert mistake.is_error and 'unknown argument "q"' in mistake.content[0].text, mistake
        try:
            await client.call_tool("drop_everything", {})
            raise AssertionError("a tool that does not exist was called")
        except Exception as error:
            assert "unknown tool: drop_everything" in str(error), error
        times = []
        for _ in range(CALLS):
            began = time.perf_counter()
            await client.call_tool("search_notes", QUESTION)
            times.append((time.perf_counter() - began) * 1000)
        version = client.protocol_version
    print(f"passed: Python SDK over {name}, protocol {version}; a call takes {statistics.median(times):.2f} ms")


def raw():
    """The times of calls without an SDK, in ms, and the memory of the program afterwards, in MB."""
    server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def request(number, method, params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        while True:
            answer = json.loads(server.stdout.readline())
            if answer.get("id") == number:
                return answer

    request(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    times = []
    for number in range(1, CALLS + 1):
        began = time.perf_counter()
        answer = request(number, "tools/call", {"name": "search_notes", "arguments": QUESTION})
        times.append((time.perf_counter() - began) * 1000)
        assert not answer["result"]["isError"], answer
    with open(f"/proc/{server.pid}/status", encoding="utf-8") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
    server.stdin.close()
    server.wait()
    return statistics.median(times), resident


def direct():
    """The time of the same call in SQL, in ms."""
    arguments = json.dumps(QUESTION)
    return float(sql(f"""CREATE TEMPORARY TABLE times (ms float8);
        DO $$ DECLARE began timestamptz; BEGIN FOR n IN 1..{CALLS} LOOP
            began := clock_timestamp();
            PERFORM kb_call_tool('search_notes', '{arguments}');
            INSERT INTO times VALUES (1000 * extract(epoch FROM clock_timestamp() - began));
        END LOOP; END $$;
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FROM times"""))


async def main():
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
    for mode in ("legacy", "2026-07-28"):
        await check("stdio", parameters, mode)
    server, url = http()
    try:
        for mode in ("legacy", "2026-07-28"):
            await check("HTTP", url, mode)
    finally:
        server.terminate()
    (through, resident), alone = raw(), direct()
    print(f"a call takes {through:.2f} ms over stdio, {alone:.2f} ms in SQL: {through - alone:.2f} ms more; {resident:.1f} MB resident")
    assert through - alone <= 5, "more than 5 ms over the call in SQL"


asyncio.run(main())
