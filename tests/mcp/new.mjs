// The SDK of 2026-07-28: no handshake, and no sessions over HTTP.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { check, http, server } from "./checks.mjs";

async function connected(transport) {
  const changes = { count: 0 };
  const onChanged = (error) => void (error || changes.count++);
  const client = new Client(
    { name: "kb_rag-test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  );
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion?.() ?? "2026-07-28", "2026-07-28");
  return [client, changes, (signal) => [{ signal }]];
}

await check("new SDK over stdio", ...(await connected(new StdioClientTransport({ ...server, stderr: "inherit" }))));
const { url, end } = await http();
await check("new SDK over HTTP", ...(await connected(new StreamableHTTPClientTransport(url))));
end();
process.exit(0);
