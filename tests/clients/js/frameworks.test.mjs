import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { generateText } from 'ai'
import * as ai from 'ai'
import * as mocks from 'ai/test'
import { Client } from 'kb-rag-client'
import { knowledgeTools } from 'kb-rag-client/ai'
import { KbRagRetriever } from 'kb-rag-client/langchain'
import { QUESTION, base, begin, end, pool } from './common.mjs'

before(begin)
after(() => end())

test('LangChain', async () => {
  const retriever = new KbRagRetriever({ client: pool, knowledgeBase: base, k: 1 })
  const [document] = await retriever.invoke(QUESTION)
  assert.equal(document.id, 'manual/refunds.pdf')
  assert.match(document.pageContent, /thirty days/)
  assert.equal(document.metadata.title, 'Refunds')
  assert.ok(document.metadata.similarity > 0 && document.metadata.chunk_id)
  const none = new KbRagRetriever({ client: new Client(pool), knowledgeBase: base, filter: { shown: false } })
  assert.deepEqual(await none.invoke(QUESTION), [])
  const wrong = new KbRagRetriever({ client: pool, knowledgeBase: base, search: { limit: 1 } })
  await assert.rejects(wrong.invoke(QUESTION), /unknown argument "limit"/)
  assert.equal((await retriever.pipe((found) => found.length).invoke(QUESTION)), 1)
})

test('AI SDK', async () => {
  const sources = []
  const tools = await knowledgeTools(pool, { tools: 'search', onSources: (found) => sources.push(...found) })
  let turn = 0
  const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 }, totalTokens: 2 }
  const answer = async ({ prompt, tools: described }) => {
    if (turn++ === 0) {
      assert.ok(described.some(({ name, inputSchema }) => name === 'search_js_test' && inputSchema.required[0] === 'query'))
      const call = { type: 'tool-call', toolCallId: '1', toolName: 'search_js_test', input: JSON.stringify({ query: QUESTION }) }
      return { content: [call], finishReason: reason('tool-calls'), usage, warnings: [] }
    }
    const output = JSON.stringify(prompt.at(-1).content[0].output)
    return { content: [{ type: 'text', text: `I found ${output}` }], finishReason: reason('stop'), usage, warnings: [] }
  }
  const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3 ?? mocks.MockLanguageModelV2
  // Version 2 of the interface has a string here, later ones an object.
  const reason = (name) => (Model === mocks.MockLanguageModelV2 ? name : { unified: name, raw: name })
  const stop = ai.isStepCount ?? ai.stepCountIs
  const { text } = await generateText({ model: new Model({ doGenerate: answer }), tools, prompt: QUESTION, stopWhen: stop(3) })
  assert.match(text, /\[Source: refunds\.pdf\] You can return/)
  assert.equal(sources[0].kb_id, base)
})
