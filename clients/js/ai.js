// Tools for the AI SDK. Needs the package ai.

import { jsonSchema, tool } from 'ai'
import { Client } from './index.js'

export async function knowledgeTools(client, { agent_id, session_id, tools = 'all', onSources } = {}) {
  const knowledge = client instanceof Client ? client : new Client(client)
  const described = await knowledge.tools({ agent_id, tools })
  return Object.fromEntries(described.map(({ name, description, inputSchema }) => [name, tool({
    description,
    inputSchema: jsonSchema(inputSchema),
    execute: async (input) => {
      const { text, sources } = await knowledge.callTool(name, input, { agent_id, session_id })
      if (sources.length) onSources?.(sources)
      return text
    },
  })]))
}
