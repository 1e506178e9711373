// Clients of which one version is tried: postgres.js, supabase-js, and LangChain's store and retriever for Supabase. These speak with a
// server that does what PostgREST does with rpc.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SupabaseHybridSearch } from '@langchain/community/retrievers/supabase'
import { SupabaseVectorStore } from '@langchain/community/vectorstores/supabase'
import { FakeEmbeddings } from '@langchain/core/utils/testing'
import { createClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { Client } from 'kb-rag-client'
import { supabaseClient } from 'kb-rag-client/supabase'
import { QUESTION, base, begin, config, end, pool } from './common.mjs'
import { serve } from './postgrest.mjs'

before(begin)
after(() => end())

test('postgres.js', async () => {
  const sql = postgres({ ...config, onnotice: () => {} })
  const client = new Client({ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) })
  const [found] = await client.search(QUESTION, base, { match_count: 1, filter: { shown: true }, knowledge_bases: null })
  assert.equal(found.source, 'manual/refunds.pdf')
  assert.equal((await client.search(QUESTION, null, { knowledge_bases: [base], query_embedding: new Array(384).fill(0.5) })).length, 2)
  const id = await client.add(base, 'text', { metadata: { list: [1] } })
  const { rows } = await pool.query('SELECT metadata FROM kb_read($1)', [id])
  assert.deepEqual(rows[0].metadata, { list: [1] })
  await client.delete(id)
  const file = await client.addFile(base, new TextEncoder().encode('Tea needs four minutes.'), 'tea.txt')
  await client.delete(file)
  await sql.end()
})

test('Supabase', async () => {
  const server = await serve(pool)
  const client = supabaseClient(createClient(server.url, 'key'))
  const [found] = await client.search(QUESTION, base, { match_count: 1, filter: { shown: true } })
  assert.equal(found.source, 'manual/refunds.pdf')
  const { rows } = await pool.query('SELECT kb_embed($1)::text AS vector', [QUESTION])
  assert.equal((await client.search('', base, { mode: 'semantic', query_embedding: JSON.parse(rows[0].vector) })).length, 2)
  const id = await client.addFile(base, new TextEncoder().encode('Tea needs four minutes.'), 'tea.txt', { metadata: { drink: true } })
  assert.equal(await client.delete(id), true)
  assert.match(await client.context(QUESTION, base), /thirty days/)
  assert.equal((await client.callTool('search_js_test', { query: QUESTION })).sources.length > 0, true)
  await assert.rejects(client.search('x', base, { filter: { a: { $near: 1 } } }), (error) => error.code === '22023' && /\$gte/.test(error.hint))
  assert.throws(() => supabaseClient({}), TypeError)
  server.close()
})

test('LangChain for Supabase', async () => {
  await pool.query("SELECT kb_expose($1, 'supabase', 'public.match_documents')", [base])
  const server = await serve(pool)
  const client = createClient(server.url, 'key')
  const embeddings = new FakeEmbeddings()
  embeddings.embedQuery = async (text) => JSON.parse((await client.rpc('kb_embed', { content: text })).data)
  const store = new SupabaseVectorStore(embeddings, { client, tableName: 'documents', queryName: 'match_documents' })
  const [[document, similarity]] = await store.similaritySearchWithScore(QUESTION, 1)
  assert.match(document.pageContent, /thirty days/)
  assert.equal(document.metadata.title, 'Refunds')
  assert.ok(similarity > 0 && similarity < 1)
  assert.equal((await store.similaritySearch(QUESTION, 5, { shown: { $eq: true } })).length, 2)
  assert.equal((await store.similaritySearch(QUESTION, 5, { shown: false })).length, 0)
  // A filter that is a function gives no number of rows, but a limit.
  assert.equal((await store.similaritySearch(QUESTION, 1, (rpc) => rpc)).length, 1)
  await assert.rejects(store.similaritySearch(QUESTION, 1, { shown: { $near: 1 } }), /22023 filter operator "\$near" does not exist/)
  const retriever = new SupabaseHybridSearch(embeddings, { client, similarityK: 1, keywordK: 2 })
  const found = await retriever.hybridSearch('parcels within Europe', 1, 2)
  assert.match(found[0][0].pageContent, /^Parcels/)
  assert.ok(found[0][1] > 0 && found[0][1] < 1, 'on the scale of a similarity')
  assert.equal((await retriever.invoke(QUESTION)).length > 0, true)
  server.close()
})
