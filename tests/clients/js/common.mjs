// A base with two documents.

import pg from 'pg'

export const QUESTION = 'How do I get my money back?'
export const base = 'js test'
export const config = { host: process.env.PGHOST, user: process.env.PGUSER, database: process.env.PGDATABASE }
export const pool = new pg.Pool(config)

const DOCUMENTS = [
  ['manual/refunds.pdf', 'Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.'],
  ['https://shop.example/help/delivery', 'Delivery', 'Parcels within Europe arrive in three to five working days.'],
]

export async function begin() {
  await end({ open: true })
  await pool.query('SELECT kb_create($1)', [base])
  for (const [key, title, content] of DOCUMENTS) {
    await pool.query(`SELECT kb_add($1, $2, title => $3, source_key => $4, metadata => '{"shown": true}')`, [base, content, title, key])
  }
}

export async function end({ open = false } = {}) {
  await pool.query('SELECT kb_drop(name) FROM kb_list() WHERE name = $1', [base])
  if (!open) await pool.end()
}
