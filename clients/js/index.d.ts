/** The client of kb_rag. Arguments and columns have the names that they have in SQL. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
/** An object that the metadata must contain, or one with operators, such as `{ year: { $gte: 2024 } }`. */
export type Filter = { [key: string]: Json }

/** A client of PostgreSQL, such as a Client or a Pool of pg. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: any[] }>
}

/** Calls functions of kb_rag by name, such as `supabaseTransport` does. */
export interface Transport {
  rows(name: string, named: Record<string, unknown>): Promise<any[]>
  value(name: string, named: Record<string, unknown>): Promise<any>
}

/** A chunk that a search found. */
export interface SearchResult {
  chunk_id: string
  document_id: string
  knowledge_base: string
  /** Title and source_key of the document. */
  title: string | null
  source: string | null
  content: string
  /** Orders the results of one search, and compares with no other search. */
  score: number
  /** Cosine similarity, -1 to 1; null where the chunk has no vector or vectors were not searched. */
  similarity: number | null
  /** BM25, from 0. */
  keyword_score: number | null
  /** Places in vector search and in keyword search, from 1. */
  semantic_rank: number | null
  keyword_rank: number | null
  metadata: Record<string, any>
  source_type: string
  heading: string | null
  /** Page of the document, from 1. */
  page: number | null
  /** Place among the chunks of the document, from 0. */
  ordinal: number
  /** Where the chunk is in the document, in characters (code points, not UTF-16 units) from 0; the end is exclusive. */
  start_char: number
  end_char: number
  /** What the similarity means with the model of the base, 0 to 1. */
  relevance: number | null
  context: string | null
  snippet: string | null
  duplicates: Record<string, any>[] | null
}

export interface SearchOptions {
  mode?: 'hybrid' | 'semantic' | 'keyword' | null
  /** How many results at most, 1 to 10,000; 5 by default. */
  match_count?: number | null
  match_offset?: number | null
  filter?: Filter | null
  source_type?: string | null
  /** A uuid of the application; only the bases that are attached to it. */
  agent_id?: string | null
  knowledge_bases?: string[] | null
  /** Results must have a similarity above it, -1 to 1; -1 is none. */
  match_threshold?: number | null
  /** The vector of the query: as many numbers as the base has dimensions. */
  query_embedding?: Iterable<number> | null
  fusion?: 'relative' | 'rrf' | null
  keyword_weight?: number | null
  semantic_weight?: number | null
  rrf_k?: number | null
  ranker?: string | null
  max_per_document?: number | null
  syntax?: 'plain' | 'web' | null
  neighbors?: number | null
  duplicates?: 'keep' | 'merge' | null
  snippet?: boolean | null
}

export interface ContextOptions
  extends Pick<SearchOptions, 'match_count' | 'match_threshold' | 'mode' | 'filter' | 'source_type' | 'agent_id' | 'knowledge_bases'
    | 'query_embedding' | 'neighbors' | 'duplicates'> {
  style?: 'relevance' | 'source' | null
  /** The length of the text at most, in characters. */
  max_chars?: number | null
  page_numbers?: boolean | null
  /** Needs max_chars. */
  whole_document?: boolean | null
}

export interface DocumentOptions {
  title?: string | null
  source_key?: string | null
  /** `document` by default. */
  source_type?: string | null
  metadata?: { [key: string]: Json } | null
  mime_type?: string | null
  language?: string | null
}

export interface ToolsOptions {
  agent_id?: string | null
  format?: 'mcp' | 'openai' | 'anthropic' | 'gemini' | null
  tools?: 'all' | 'search' | null
}

export interface CallOptions {
  agent_id?: string | null
  /** Of the conversation, for the log of searches. */
  session_id?: string | null
}

export interface ToolResult {
  /** What the model reads. */
  text: string
  /** Whether the text is about a mistake of the model. */
  is_error: boolean
  /** The chunks that were found, to show to people. */
  sources: Record<string, any>[]
}

/** Shares and means are 0 to 1, and null where no question expects an answer. */
export interface Evaluation {
  place: number
  arguments: Record<string, any>
  questions: number
  missing: number
  without_answer: number
  first_hit: number | null
  hits_5: number | null
  hits_k: number | null
  mrr: number | null
  ndcg_10: number | null
  intervals: Record<string, any> | null
  answered_by_mistake: number | null
  refused_by_mistake: number | null
  milliseconds: number | null
}

/** Calls functions over SQL. */
export class SqlTransport implements Transport {
  constructor(db: Queryable, options?: { schema?: string })
  rows(name: string, named: Record<string, unknown>): Promise<any[]>
  value(name: string, named: Record<string, unknown>): Promise<any>
}

/**
 * Calls the functions of kb_rag. Errors of the driver are not wrapped: `code` is the SQLSTATE, `hint` the hint. An option that kb_rag
 * does not have is a TypeError. Options that are null or undefined have the defaults of the database.
 */
export class Client {
  /** `schema` is the one of kb_rag's functions, where it is not in the search_path. */
  constructor(db: Queryable | Transport, options?: { schema?: string })
  /** Searches chunks, best first (kb_search). Without a base it searches all of the role's circle. */
  search(query: string, knowledge_base?: string | null, options?: SearchOptions): Promise<SearchResult[]>
  /** The best chunks as one text for a prompt, or null if none is about the query (kb_context). */
  context(query: string, knowledge_base?: string | null, options?: ContextOptions): Promise<string | null>
  /** Adds a document, or replaces the one with this source_type and source_key; returns its id (kb_add). */
  add(knowledge_base: string, content: string, options?: DocumentOptions): Promise<string>
  /** Adds a file, or replaces the document of that name; returns the id of the document (kb_add_file). */
  addFile(knowledge_base: string, file: Uint8Array, filename: string, options?: DocumentOptions & { password?: string | null }): Promise<string>
  /** Deletes a document and returns whether there was one (kb_delete). */
  delete(document_id: string, knowledge_base?: string | null): Promise<boolean>
  /** Describes the tools that a chat model can call (kb_tools). */
  tools(options?: ToolsOptions): Promise<Record<string, any>[]>
  /** Does what a chat model asked for; arguments are an object, or the JSON string that the model wrote (kb_call_tool). */
  callTool(name: string, args: Record<string, any> | string, options?: CallOptions): Promise<ToolResult>
  /** Asks the questions of a base, a row for each combination of arguments (kb_evaluate). */
  evaluate(
    knowledge_base: string, args?: Record<string, any> | Record<string, any>[] | null, options?: { tag?: string | null; save_as?: string | null },
  ): Promise<Evaluation[]>
}
