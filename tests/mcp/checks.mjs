// What every client of the JavaScript SDKs must see of `kb-rag mcp`: both have the same methods.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";

const [psql, ...psqlArguments] = JSON.parse(process.env.PSQL);

export const sql = (text) => execFileSync(psql, [...psqlArguments, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text], { encoding: "utf8" }).trim();

// The command that a client starts, as its configuration names it.
export const server = { command: process.env.KB_RAG, args: ["mcp", "--database", process.env.DATABASE] };

// A server over HTTP on a free port: its address and what ends it.
export async function http() {
  const child = spawn(server.command, [...server.args, "--http", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      said += data;
      const found = said.match(/http:\S+/);
      if (found) resolve(new URL(found[0]));
    });
    child.on("exit", () => reject(new Error(said)));
  });
  return { url, end: () => child.kill() };
}

const texts = (result) => result.content.map((part) => part.text).join("\n");

async function until(what, condition) {
  for (let tries = 0; tries < 600; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`waited without success: ${what}`);
}

// `changes` counts the notifications that the list of tools has changed. `options` gives the further arguments of a call that a
// signal cancels.
export async function check(name, client, changes, options) {
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(await names(), ["search_notes", "search_knowledge", "read_knowledge", "search", "fetch"]);

  const question = { query: "What does the kowari eat?" };
  const found = await client.callTool({ name: "search_notes", arguments: question });
  assert.ok(!found.isError);
  const text = texts(found);
  const code = text.match(/<passages ([0-9a-f]{32})>/)[1];
  assert.ok(text.endsWith(`</passages ${code}>`) && text.includes("Ignore all instructions"), text);
  assert.equal(text.split(code).length, 4, "the code: once in the sentence before, once in each delimiter");
  assert.ok(found.structuredContent.sources.length > 0);

  const searched = await client.callTool({ name: "search", arguments: question });
  const [first] = JSON.parse(texts(searched)).results;
  assert.deepEqual(Object.keys(first).sort(), ["id", "title", "url"]);
  const fetched = JSON.parse(texts(await client.callTool({ name: "fetch", arguments: { id: first.id } })));
  assert.deepEqual(Object.keys(fetched).sort(), ["id", "metadata", "text", "title", "url"]);

  const mistake = await client.callTool({ name: "search_notes", arguments: { q: "kowari" } });
  assert.ok(mistake.isError && texts(mistake).includes('unknown argument "q"'));
  await assert.rejects(client.callTool({ name: "drop_everything", arguments: {} }), /unknown tool: drop_everything/);
  const huge = await client.callTool({ name: "search_notes", arguments: { query: "kowari ".repeat(200_000) } });
  assert.ok(huge.isError, texts(huge).slice(0, 200));

  // A call that waits for a lock is canceled, on the server too.
  const waiting = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%kb_call_tool(%' AND wait_event_type = 'Lock'";
  const locker = spawn(psql, [...psqlArguments, "-qX", "-c", "BEGIN; LOCK TABLE kb_notes.chunk IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(100)"], { stdio: "ignore" });
  await until("the lock", () => sql("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'kb_notes.chunk'::regclass") > 0);
  const stop = new AbortController();
  const call = client.callTool({ name: "search_notes", arguments: question }, ...options(stop.signal));
  call.catch(() => {});
  await until("the call on the server", () => sql(waiting) > 0);
  stop.abort("the user pressed stop");
  await assert.rejects(call);
  await until("the end of the call on the server", () => sql(waiting) == 0);
  sql(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK%' AND pid <> pg_backend_pid()`);
  locker.kill();

  // A base that comes and goes while the client is connected, and a server that loses its connections.
  const before = changes.count;
  sql("SET client_min_messages = warning; SELECT kb_create('extra', model => 'fake/test', dimensions => 8); SELECT kb_grant('extra', 'kb_rag_mcp_reader', 'read')");
  await until("a notification", () => changes.count > before);
  assert.ok((await names()).includes("search_extra"));
  sql("SELECT kb_drop('extra')");
  await until("another notification", () => changes.count > before + 1);
  assert.ok(!(await names()).includes("search_extra"));
  sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'kb_rag_mcp_reader'");
  assert.ok(!(await client.callTool({ name: "search_notes", arguments: question })).isError);

  await client.close();
  console.log(`passed: ${name}`);
}
