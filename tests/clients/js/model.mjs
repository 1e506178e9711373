// The chat model of the manual's example for the AI SDK: a script that searches, and then says what was found.

import { MockLanguageModelV4 } from 'ai/test'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const reason = (name) => ({ unified: name, raw: name })

async function doGenerate({ prompt, tools }) {
  const last = prompt.at(-1)
  if (last.role === 'tool') {
    const text = last.content[0].output.value
    return { content: [{ type: 'text', text }], finishReason: reason('stop'), usage, warnings: [] }
  }
  const input = JSON.stringify({ query: last.content[0].text })
  return { content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: tools[0].name, input }], finishReason: reason('tool-calls'), usage, warnings: [] }
}

export const model = new MockLanguageModelV4({ doGenerate })
