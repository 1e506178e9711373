import { Client, Transport } from './index.js'

/** A client of Supabase or PostgREST. */
export interface RpcClient {
  rpc(name: string, args: any): PromiseLike<{ data: any; error: { message: string; code?: string; details?: string | null; hint?: string | null } | null }>
}

/** An error of the database: `code` is the SQLSTATE, or a code of PostgREST. */
export class DatabaseError extends Error {
  code?: string
  detail?: string | null
  hint?: string | null
}

/** Calls functions by `rpc`. The schema that kb_rag is in has to be one that PostgREST exposes. */
export function supabaseTransport(supabase: RpcClient): Transport

/** A `Client` on `rpc`. */
export function supabaseClient(supabase: RpcClient): Client
