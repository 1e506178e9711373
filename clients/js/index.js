// The client: functions of kb_rag as methods. Arguments and columns have the names that they have in SQL.

const SEARCH = ['mode', 'match_count', 'match_offset', 'filter', 'source_type', 'agent_id', 'knowledge_bases', 'match_threshold',
  'query_embedding', 'fusion', 'keyword_weight', 'semantic_weight', 'rrf_k', 'ranker', 'max_per_document', 'syntax', 'neighbors',
  'duplicates', 'snippet']
const CONTEXT = ['match_count', 'match_threshold', 'style', 'mode', 'filter', 'source_type', 'agent_id', 'knowledge_bases',
  'query_embedding', 'max_chars', 'page_numbers', 'neighbors', 'duplicates', 'whole_document']
const DOCUMENT = ['title', 'source_key', 'source_type', 'metadata', 'mime_type', 'language']
const JSON_ARGUMENTS = new Set(['filter', 'metadata', 'arguments'])
const COUNTS = ['questions', 'missing', 'without_answer', 'answered_by_mistake', 'refused_by_mistake']

/** Checks the names of options: an unknown one would be ignored, and names become part of the statement. */
function checked(options, known) {
  for (const name of Object.keys(options ?? {})) {
    if (!known.includes(name)) throw new TypeError(`unknown argument "${name}"; known are ${known.join(', ')}`)
  }
  return options ?? {}
}

/** Arguments without those that are null or undefined, whose defaults are those of the database. */
function given(named) {
  return Object.entries(named).filter(([, value]) => value !== undefined && value !== null)
}

/** A vector as pgvector reads it, from any iterable of numbers. */
function vector(values) {
  return `[${Array.from(values, Number).join(',')}]`
}

/** Calls functions over SQL, with any client that has `query(text, values)`. */
export class SqlTransport {
  constructor(db, { schema } = {}) {
    if (typeof db?.query !== 'function') throw new TypeError('a client with query(text, values) is needed, such as one of pg')
    this.db = db
    this.prefix = schema === undefined ? '' : `"${schema.replaceAll('"', '""')}".`
  }

  async rows(name, named) {
    return (await this.#query('SELECT * FROM', name, named)).rows
  }

  async value(name, named) {
    return (await this.#query('SELECT', name, named, ' AS value')).rows[0].value
  }

  #query(select, name, named, end = '') {
    const values = []
    const list = given(named).map(([argument, value]) => {
      let place = `$${values.length + 1}`
      if (JSON_ARGUMENTS.has(argument)) {
        // Drivers differ in what they make of objects and arrays, but not of text.
        value = JSON.stringify(value)
        place += '::text::jsonb'
      } else if (argument === 'query_embedding') {
        value = vector(value)
      } else if (argument === 'file') {
        value = Buffer.from(value).toString('base64')
        place = `decode(${place}::text, 'base64')`
      }
      values.push(value)
      return `${argument} => ${place}`
    })
    return this.db.query(`${select} ${this.prefix}${name}(${list.join(', ')})${end}`, values)
  }
}

export class Client {
  #transport

  constructor(db, options) {
    // Another transport, such as that of Supabase, calls functions by itself.
    this.#transport = typeof db?.rows === 'function' && typeof db?.value === 'function' ? db : new SqlTransport(db, options)
  }

  async search(query, knowledge_base, options) {
    return this.#transport.rows('kb_search', { query, knowledge_base, ...checked(options, SEARCH) })
  }

  async context(query, knowledge_base, options) {
    return (await this.#transport.value('kb_context', { query, knowledge_base, ...checked(options, CONTEXT) })) ?? null
  }

  async add(knowledge_base, content, options) {
    return this.#transport.value('kb_add', { knowledge_base, content, ...checked(options, DOCUMENT) })
  }

  async addFile(knowledge_base, file, filename, options) {
    return this.#transport.value('kb_add_file', { knowledge_base, file, filename, ...checked(options, [...DOCUMENT, 'password']) })
  }

  async delete(document_id, knowledge_base) {
    return this.#transport.value('kb_delete', { document_id, knowledge_base })
  }

  async tools(options) {
    return this.#transport.value('kb_tools', checked(options, ['agent_id', 'format', 'tools']))
  }

  async callTool(name, args, options) {
    const result = await this.#transport.value('kb_call_tool', {
      name, arguments: args, ...checked(options, ['agent_id', 'session_id']),
    })
    const text = result.content.map((part) => part.text).join('\n\n')
    return { text, is_error: result.isError, sources: result.sources ?? [] }
  }

  async evaluate(knowledge_base, args, options) {
    const rows = await this.#transport.rows('kb_evaluate', {
      knowledge_base, arguments: args, ...checked(options, ['tag', 'save_as']),
    })
    // Drivers give bigint as strings.
    return rows.map((row) => ({
      ...row,
      ...Object.fromEntries(COUNTS.map((name) => [name, row[name] === null ? null : Number(row[name])])),
    }))
  }
}
