// The SDK before 2026-07-28: a handshake, and sessions over HTTP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { check, http, server } from "./checks.mjs";

async function connected(transport) {
  const client = new Client({ name: "kb_rag-test", version: "1" });
  const changes = { count: 0 };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes.count++);
  await client.connect(transport);
  return [client, changes, (signal) => [undefined, { signal }]];
}

await check("old SDK over stdio", ...(await connected(new StdioClientTransport({ ...server, stderr: "inherit" }))));
const { url, end } = await http();
await check("old SDK over HTTP", ...(await connected(new StreamableHTTPClientTransport(url))));
end();
process.exit(0);
