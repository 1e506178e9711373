// LangChain: a retriever. Needs @langchain/core.

import { BaseRetriever } from '@langchain/core/retrievers'
import { Document } from '@langchain/core/documents'
import { Client } from './index.js'

export class KbRagRetriever extends BaseRetriever {
  lc_namespace = ['kb_rag', 'retrievers']

  static lc_name() {
    return 'KbRagRetriever'
  }

  constructor({ client, knowledgeBase, k = 4, filter, search = {}, ...fields }) {
    super(fields)
    this.client = client instanceof Client ? client : new Client(client)
    this.knowledgeBase = knowledgeBase
    this.k = k
    this.filter = filter
    this.search = search
  }

  async _getRelevantDocuments(query) {
    const options = { ...this.search, match_count: this.k, filter: this.filter }
    const found = await this.client.search(query, this.knowledgeBase, options)
    return found.map((row) => {
      const { chunk_id, document_id, knowledge_base, source, title, heading, page, start_char, end_char, similarity, relevance } = row
      const added = { chunk_id, document_id, knowledge_base, source, title, heading, page, start_char, end_char, similarity, relevance }
      // Keys of the document take precedence.
      return new Document({ id: source ?? document_id, pageContent: row.content, metadata: { ...added, ...row.metadata } })
    })
  }
}
