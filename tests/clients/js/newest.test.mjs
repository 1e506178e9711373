// Clients of which one version is tried: postgres.js, and supabase-js against what PostgREST does with rpc.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'
import postgres from 'postgres'
import { Client } from 'kb-rag-client'
import { supabaseClient } from 'kb-rag-client/supabase'
import { QUESTION, base, begin, config, end, pool } from './common.mjs'

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

/** Answers /rest/v1/rpc/NAME as PostgREST does: the body's members are the arguments by name. */
async function rpc(name, body) {
  const { rows: [function_] } = await pool.query('SELECT proretset AS rows FROM pg_proc WHERE proname = $1', [name])
  const { rows } = await pool.query('SELECT unnest(proargnames) AS name, unnest(proargtypes)::regtype AS type FROM pg_proc WHERE proname = $1', [name])
  const columns = rows.filter((row) => row.type && row.name in body)
  const given = columns.map((row) => `${row.name} => given.${row.name}`).join(', ')
  const types = columns.map((row) => `${row.name} ${row.type}`).join(', ')
  const call = `${name}(${given})`
  const select = function_.rows ? `coalesce(json_agg(found), '[]') AS answer FROM given, ${call} AS found` : `to_json(${call}) AS answer FROM given`
  const result = await pool.query(`WITH given AS (SELECT * FROM json_to_record($1) AS _ (${types})) SELECT ${select}`, [JSON.stringify(body)])
  return result.rows[0].answer
}

test('Supabase', async () => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    try {
      const answer = await rpc(request.url.split('/').at(-1), JSON.parse(body))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    } catch ({ message, code, detail, hint }) {
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ message, code, details: detail ?? null, hint: hint ?? null }))
    }
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const client = supabaseClient(createClient(`http://127.0.0.1:${server.address().port}`, 'key'))
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
