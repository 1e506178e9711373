// Stands in for PostgREST, which cannot be had from npm: it answers …/rpc/NAME as that does, as far as clients of kb_rag use it. Run as a
// program it prints its address, and serves the database of the environment.

import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'
import pg from 'pg'

/** The members of the body are the arguments by name. Functions that only read run in a transaction that does. */
async function call(pool, name, body, limit) {
  const { rows } = await pool.query(
    `SELECT p.proretset AS is_set, p.provolatile = 'v' AS writes, a.name, a.type::regtype
     FROM pg_proc p, unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[]) AS a (name, type) WHERE p.proname = $1`, [name])
  const given = rows.filter((row) => row.name in body)
  const types = given.map((row) => `${row.name} ${row.type}`).join(', ')
  const select = `SELECT found FROM given, ${name}(${given.map((row) => `${row.name} => given.${row.name}`).join(', ')}) AS found`
  const rest = rows[0].is_set
    ? `rows AS (${select} LIMIT $2) SELECT coalesce(json_agg(found), '[]') AS answer FROM rows`
    : `rows AS (${select} LIMIT $2) SELECT to_json(found) AS answer FROM rows`
  const db = await pool.connect()
  try {
    await db.query(rows[0].writes ? 'BEGIN' : 'BEGIN READ ONLY')
    const answer = await db.query(`WITH given AS (SELECT * FROM json_to_record($1) AS _ (${types})), ${rest}`, [JSON.stringify(body), limit])
    await db.query('COMMIT')
    return answer.rows[0].answer
  } catch (error) {
    await db.query('ROLLBACK')
    throw error
  } finally {
    db.release()
  }
}

export async function serve(pool) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    let status = 200, answer
    try {
      answer = await call(pool, pathname.split('/').at(-1), JSON.parse(body), searchParams.get('limit'))
    } catch ({ message, code, detail, hint }) {
      status = 400
      answer = { message, code, details: detail ?? null, hint: hint ?? null }
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) console.log((await serve(new pg.Pool())).url)
