//! The pending change of the model, or of the chunks, of a base: the tables that are filled for it, and the base as it is afterward.

use std::ffi::CString;

use kb_rag_core::model_name::EmbeddingSpace;

use super::KnowledgeBase;

/// The tables of a pending change. One that kb_rag 0.3 began has no table of chunks.
pub struct NextTables {
    /// The vectors of the pending model.
    pub vectors: String,
    /// The chunks of documents that are cut differently for it.
    pub chunks: String,
}

impl NextTables {
    fn for_space(space: &EmbeddingSpace) -> NextTables {
        let [vectors, chunks] = ["embedding", "chunk"].map(|table| format!("{table}_{}", space.dimensions));
        NextTables { vectors, chunks }
    }

    /// The names as PostgreSQL's C functions take them.
    pub fn names(&self) -> [CString; 2] {
        [&self.vectors, &self.chunks].map(|table| CString::new(table.as_str()).unwrap_or_default())
    }
}

/// A pending change.
pub struct Pending {
    /// The base as it is after the change.
    pub base: KnowledgeBase,
    pub tables: NextTables,
}

impl KnowledgeBase {
    /// The tables of the pending change.
    pub fn next_tables(&self) -> Option<NextTables> {
        self.next.as_ref().map(NextTables::for_space)
    }

    /// The pending change.
    pub fn pending(&self) -> Option<Pending> {
        let space = self.next.as_ref()?;
        let mut base = self.clone();
        base.settings.space = space.clone();
        if let Some(chunks) = self.next_cut {
            base.settings.chunks = chunks;
        }
        if *space != self.settings.space {
            base.model_variants.clear();
        }
        (base.next, base.next_cut) = (None, None);
        Some(Pending { base, tables: NextTables::for_space(space) })
    }
}
