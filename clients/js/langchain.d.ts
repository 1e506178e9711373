import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import { Document } from '@langchain/core/documents'
import { Client, Filter, Queryable, SearchOptions } from './index.js'

export interface KbRagRetrieverInput extends BaseRetrieverInput {
  /** A `Client`, or a client of PostgreSQL. */
  client: Client | Queryable
  knowledgeBase: string
  /** How many chunks at most, 1 to 10,000; 4 by default. */
  k?: number
  filter?: Filter
  /** Further options of `Client.search`. */
  search?: SearchOptions
}

/**
 * Retrieves chunks of a knowledge base, best first. The id of a result is the source_key of its document. The metadata is that of the
 * chunk, with chunk_id, similarity (-1 to 1) and others, unless the document has keys of these names.
 */
export class KbRagRetriever extends BaseRetriever {
  lc_namespace: string[]
  constructor(fields: KbRagRetrieverInput)
  _getRelevantDocuments(query: string): Promise<Document[]>
}
