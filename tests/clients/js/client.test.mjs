import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'kb-rag-client'
import { QUESTION, base, begin, config, end, pool } from './common.mjs'

before(begin)
after(() => end())
const client = new Client(pool)

test('search', async () => {
  const [found] = await client.search(QUESTION, base, { match_count: 1, filter: { shown: { $eq: true } } })
  assert.equal(found.source, 'manual/refunds.pdf')
  assert.equal(found.knowledge_base, base)
  assert.ok(found.similarity > 0 && found.similarity < 1)
  assert.deepEqual([found.start_char, found.page], [0, null])
  assert.equal((await client.search(QUESTION, null, { knowledge_bases: [base] })).length, 2)
  assert.equal((await client.search(QUESTION, base, { source_type: 'code', filter: undefined, mode: null })).length, 0)
  const { rows } = await pool.query('SELECT kb_embed($1)::text AS vector', [QUESTION])
  const numbers = new Float32Array(JSON.parse(rows[0].vector))
  const [by] = await client.search('', base, { mode: 'semantic', query_embedding: numbers, match_count: 1 })
  assert.ok(Math.abs(by.similarity - found.similarity) < 1e-5)
})

test('errors', async () => {
  await assert.rejects(client.search('x', base, { filter: { a: { $near: 1 } } }), (error) => error.code === '22023' && /\$gte/.test(error.hint))
  await assert.rejects(client.search('x', 'js tset'), { code: '42704' })
  await assert.rejects(client.search('x', base, { limit: 1 }), /unknown argument "limit"/)
  await assert.rejects(client.search('x', base, { 'mode => $1); --': 1 }), TypeError)
  assert.throws(() => new Client({}), TypeError)
})

test('documents', async () => {
  const id = await client.add(base, 'one', { source_key: 'k', metadata: { list: [1, { a: null }] } })
  assert.equal(await client.add(base, 'two', { source_key: 'k' }), id)
  assert.equal(await client.delete(id), true)
  assert.equal(await client.delete(id, base), false)
  const bytes = new TextEncoder().encode('# Tea\n\nTea needs four minutes. Ünïcödé.\n')
  const added = await client.addFile(base, bytes, 'tea.md')
  assert.equal((await client.search('tea minutes', base, { match_count: 1 }))[0].document_id, added)
  await client.delete(added)
})

test('context, tools and evaluation', async () => {
  assert.match(await client.context(QUESTION, base, { style: 'source' }), /thirty days/)
  assert.equal(await client.context('What is the capital of France?', base), null)
  const names = (await client.tools({ format: 'openai', tools: 'search' })).map((tool) => tool.function.name)
  assert.ok(names.includes('search_js_test'))
  const result = await client.callTool('search_js_test', { query: QUESTION })
  assert.equal(result.sources[0].filename, 'refunds.pdf')
  assert.equal((await client.callTool('search_js_test', '{"query": "cut')).is_error, true)
  await pool.query('SELECT kb_question_add($1, $2, expected_keys => $3)', [base, QUESTION, ['manual/refunds.pdf']])
  const [first, second] = await client.evaluate(base, [{}, { mode: 'keyword' }])
  assert.deepEqual([first.questions, first.mrr, second.arguments.mode], [1, 1, 'keyword'])
})

test('the schema of kb_rag', async () => {
  const { default: pg } = await import('pg')
  const db = new pg.Client({ ...config, options: '-c search_path=elsewhere' })
  await db.connect()
  await assert.rejects(new Client(db).search(QUESTION, base), { code: '42883' })
  assert.equal((await new Client(db, { schema: 'public' }).search(QUESTION, base)).length, 2)
  await db.end()
})
