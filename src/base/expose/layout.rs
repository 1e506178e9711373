//! The layouts of the views that kb_expose makes: the columns that an application expects, and their comments.

use crate::choice::Choice;

/// What a view looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `id`, `vec`, `metadata`, as clients of pgvector have them: the text is in `metadata`.
    Pgvector,
    /// One row a chunk with source, three levels of detail, vector and lexemes, as assistants keep their memory.
    Embeddings,
    /// The chunks of agents that know URLs.
    KnowledgeChunks,
    /// These URLs, for those who have them fetched by kb_rag.
    Knowledge,
    /// All of a chunk and its document, for clients whose columns can be named.
    Entry,
    /// As a vector store of LlamaIndex has it.
    LlamaIndex,
    /// No view, but the two functions that stores and retrievers of LangChain call through Supabase.
    Supabase,
}

impl Choice for Layout {
    const WHAT: &'static str = "layout";
    const ALL: &'static [Layout] = &[
        Layout::Pgvector,
        Layout::Embeddings,
        Layout::KnowledgeChunks,
        Layout::Knowledge,
        Layout::Entry,
        Layout::LlamaIndex,
        Layout::Supabase,
    ];

    fn name(self) -> &'static str {
        match self {
            Layout::Pgvector => "pgvector",
            Layout::Embeddings => "embeddings",
            Layout::KnowledgeChunks => "knowledge_chunks",
            Layout::Knowledge => "knowledge",
            Layout::Entry => "entry",
            Layout::LlamaIndex => "llamaindex",
            Layout::Supabase => "supabase",
        }
    }
}

const ID: (&str, &str) = ("id", "the chunk");
const VECTOR: (&str, &str) = ("embedding", "its vector, of length 1");
const CONTENT: (&str, &str) = ("content", "its text");

impl Layout {
    pub const DEFAULT: Layout = Layout::Pgvector;

    /// The layout that does what a user's own view of chunks with these columns does: the first that has them all, those
    /// for any application before those for one kind, or else the one with all of a chunk.
    pub(in crate::base) fn in_place_of(columns: &[String]) -> Layout {
        [Layout::Pgvector, Layout::Entry, Layout::LlamaIndex, Layout::Embeddings, Layout::KnowledgeChunks]
            .into_iter()
            .find(|layout| {
                let has = |column: &String| layout.comments().iter().any(|(name, _)| name == column);
                columns.iter().all(has)
            })
            .unwrap_or(Layout::Entry)
    }

    /// The statement that creates the view, or the first function.
    pub(super) fn template(self) -> &'static str {
        match self {
            Layout::Pgvector => include_str!("layout/pgvector.sql"),
            Layout::Embeddings => include_str!("layout/embeddings.sql"),
            Layout::KnowledgeChunks => include_str!("layout/knowledge_chunks.sql"),
            Layout::Knowledge => include_str!("layout/knowledge.sql"),
            Layout::Entry => include_str!("layout/entry.sql"),
            Layout::LlamaIndex => include_str!("layout/llamaindex.sql"),
            Layout::Supabase => include_str!("layout/supabase.sql"),
        }
    }

    /// Whether it has chunks, with their vectors; otherwise it has what documents are made from.
    pub(super) fn has_chunks(self) -> bool {
        self != Layout::Knowledge
    }

    /// The name of the view, or the first function, in the schema of a base with this slug, unless another is asked for.
    pub(super) fn view(self, slug: &str) -> String {
        match self {
            Layout::Pgvector => "collection".to_string(),
            Layout::LlamaIndex => format!("data_{slug}"),
            Layout::Supabase => "match_documents".to_string(),
            other => other.name().to_string(),
        }
    }

    /// Comments on columns.
    pub(super) fn comments(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Layout::Pgvector => &[
                ID,
                ("vec", VECTOR.1),
                ("metadata", "its metadata with chunk_index, document_id and, as content, its text"),
            ],
            Layout::Embeddings => &[
                ID,
                ("source_type", "of the document"),
                ("source_id", "key of the document in its source, the agent that wrote it, or its id"),
                CONTENT,
                ("abstract", "two or three sentences about the document"),
                ("overview", "the main points of the document"),
                VECTOR,
                ("content_tsv", "its lexemes"),
                ("model", "the model of its vector"),
                ("metadata", "its metadata with filePath, chunkIndex and language"),
                ("created_at", "when the document was added, in the time zone of the session"),
            ],
            Layout::KnowledgeChunks => &[
                ID,
                ("agent_id", "the uuid agent_id of its metadata"),
                ("knowledge_id", "the source of the document, or the document"),
                CONTENT,
                VECTOR,
                ("metadata", "its metadata with source_url, chunk_index and title"),
                ("created_at", "when the document was added"),
            ],
            Layout::Knowledge => &[
                ("id", "the source, as in knowledge_id of the layout knowledge_chunks"),
                ("agent_id", "the agent that it was added for"),
                ("title", "as kb_add_url gave it"),
                ("url", "where it begins"),
                ("content_type", "webpage, docs or github"),
                ("status", "pending, processing, indexed or failed"),
                ("error_message", "why it failed"),
                ("embedding_id", "NULL: there is no other service"),
                ("chunk_count", "how many chunks its documents have"),
                ("created_at", "when it was added first"),
                ("indexed_at", "when it was fetched last"),
                ("scrape_method", "basic, or the provider of kind firecrawl"),
                ("crawl_depth", "how many links are followed to a page at most"),
                ("exclude_patterns", "paths that are left out"),
                ("auto_sync", "whether it is fetched again"),
                ("sync_interval_hours", "how often, in hours that have begun"),
                ("last_synced_at", "when it was fetched last without an error"),
            ],
            Layout::Entry => &[
                ID,
                ("document_id", "the document"),
                ("title", "of the document"),
                ("source_key", "key of the document in its source"),
                ("source_type", "of the document"),
                ("heading", "the headings above it"),
                ("page", "its page, from 1; NULL without pages"),
                ("ordinal", "its place in the document, from 0"),
                ("start_char", "where it begins in the document, in characters from 0"),
                ("end_char", "where it ends, exclusive"),
                CONTENT,
                VECTOR,
                ("metadata", "its metadata"),
                ("tsv", "its lexemes"),
            ],
            Layout::LlamaIndex => &[
                ("id", "a number of the chunk"),
                ("text", CONTENT.1),
                ("metadata_", "its metadata with title, source and document_id"),
                ("node_id", ID.1),
                VECTOR,
            ],
            Layout::Supabase => &[],
        }
    }
}
