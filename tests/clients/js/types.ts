// Compiled, not run: the types of the client as an application sees them.

import pg from 'pg'
import { createClient } from '@supabase/supabase-js'
import { generateText, type LanguageModel } from 'ai'
import { Client, type Evaluation, type SearchResult, type ToolResult } from 'kb-rag-client'
import { knowledgeTools } from 'kb-rag-client/ai'
import { KbRagRetriever } from 'kb-rag-client/langchain'
import { supabaseClient } from 'kb-rag-client/supabase'

export async function main(pool: pg.Pool, model: LanguageModel): Promise<void> {
  const client = new Client(pool, { schema: 'public' })
  const found: SearchResult[] = await client.search('x', 'base', { match_count: 3, filter: { year: { $gte: 2024 } } })
  // @ts-expect-error: kb_search has no limit.
  await client.search('x', 'base', { limit: 3 })
  // @ts-expect-error: a similarity may be null.
  found[0]!.similarity.toFixed(2)
  const text: string | null = await client.context('x', null, { whole_document: true, max_chars: 100 })
  const result: ToolResult = await client.callTool('search_base', { query: text })
  const evaluated: Evaluation[] = await client.evaluate('base')
  const id: string = await client.addFile('base', new Uint8Array(), 'a.txt', { password: 'x' })
  const deleted: boolean = await client.delete(id)
  const retriever = new KbRagRetriever({ client: pool, knowledgeBase: 'base', k: 3, search: { mode: 'semantic' }, tags: ['t'] })
  const [document] = await retriever.invoke('x')
  await generateText({ model, tools: await knowledgeTools(client, { onSources: (sources) => sources.length }), prompt: 'x' })
  await supabaseClient(createClient('http://localhost', 'key')).search('x')
  console.log(found, result, evaluated, deleted, document?.pageContent)
}
