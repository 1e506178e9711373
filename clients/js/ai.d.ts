import type { Tool } from 'ai'
import { Client, Queryable } from './index.js'

/**
 * The tools of kb_tools for generateText and streamText. `onSources` gets the chunks that a call found, to show to people. A mistake of
 * the model is in the text that the model reads; an error of the database is thrown, and the AI SDK passes it on.
 */
export function knowledgeTools(
  client: Client | Queryable,
  options?: {
    agent_id?: string
    session_id?: string
    tools?: 'all' | 'search'
    onSources?: (sources: Record<string, any>[]) => void
  },
): Promise<Record<string, Tool<any, any>>>
