// Supabase and PostgREST: the functions of kb_rag by rpc(name, arguments). Needs no package but the client that is passed in.

import { Client } from './index.js'

/** An error of the database that came over HTTP, as drivers give it. */
export class DatabaseError extends Error {
  constructor({ message, code, details, hint }) {
    super(message)
    this.name = 'DatabaseError'
    this.code = code
    this.detail = details
    this.hint = hint
  }
}

export function supabaseTransport(supabase) {
  if (typeof supabase?.rpc !== 'function') throw new TypeError('a client with rpc(name, arguments) is needed, such as one of supabase-js')
  const call = async (name, named) => {
    const { file, query_embedding, ...rest } = Object.fromEntries(
      Object.entries(named).filter(([, value]) => value !== undefined && value !== null))
    if (file !== undefined) rest.file = `\\x${Array.from(file, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
    if (query_embedding !== undefined) rest.query_embedding = `[${Array.from(query_embedding, Number).join(',')}]`
    const { data, error } = await supabase.rpc(name, rest)
    if (error) throw new DatabaseError(error)
    return data
  }
  return { rows: call, value: call }
}

export function supabaseClient(supabase) {
  return new Client(supabaseTransport(supabase))
}
