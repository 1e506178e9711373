//! Putting a new table or index in the place of an old one.

use std::ffi::CStr;

use pgrx::pg_sys;

use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::lock::Patience;
use crate::spi::{self, Connection};

/// Tables and indexes that were built under other names and are to replace the old ones. Only writers wait while they are
/// built; searches are locked out for the moment of the renaming.
#[derive(Default)]
pub struct Replacement {
    steps: Vec<Step>,
}

enum Step {
    /// Drops an index if there is one. `DROP INDEX IF EXISTS` would tell the user of one that is missing.
    DropIndex(&'static CStr),
    Run(String),
}

impl Replacement {
    /// Rebuilds the keyword index.
    pub fn keyword_index(&mut self, c: &Connection, base: &KnowledgeBase) -> Result<()> {
        base::create_keyword_index(c, base, "chunk_keyword_new")?;
        self.rename_index(c"chunk_keyword");
        Ok(())
    }

    /// Rebuilds the index over metadata.
    pub fn metadata_index(&mut self, c: &Connection, schema: &str) -> Result<()> {
        base::create_metadata_index(c, schema, "chunk_metadata_new")?;
        self.rename_index(c"chunk_metadata");
        Ok(())
    }

    /// Rebuilds the index over the vectors, or drops it if the settings ask for none.
    pub fn vector_index(&mut self, c: &Connection, base: &KnowledgeBase) -> Result<()> {
        if base.settings.is_indexed() {
            let schema = base.quoted_schema();
            base::create_vector_index(c, &schema, &base.settings, "embedding", "embedding_hnsw_new")?;
            self.rename_index(c"embedding_hnsw");
        } else {
            self.steps.push(Step::DropIndex(c"embedding_hnsw"));
        }
        Ok(())
    }

    fn rename_index(&mut self, index: &'static CStr) {
        self.steps.push(Step::DropIndex(index));
        self.run(include_str!("rename_new_index.sql"), ("index", &index.to_string_lossy()));
    }

    fn run(&mut self, template: &str, value: (&str, &str)) {
        self.steps.push(Step::Run(spi::render(template, &[value])));
    }

    /// The table `table`, filled and indexed, becomes `embedding`.
    pub fn embedding_table(&mut self, table: &str, is_indexed: bool) {
        self.run(include_str!("replace_embedding.sql"), ("table", table));
        if is_indexed {
            self.run(include_str!("replace_vector_index.sql"), ("table", table));
        }
    }

    /// Replaces the old objects as soon as nobody uses them. `table` is one beside those of the base that others use. 55P03
    /// if other transactions still use the base when the patience ends; at once if one of them has read the base and now
    /// waits to write to it.
    pub fn take_place(
        self,
        c: &Connection,
        base: &KnowledgeBase,
        table: Option<pg_sys::Oid>,
        patience: Patience,
    ) -> Result<()> {
        if self.steps.is_empty() {
            return Ok(());
        }
        base.lock_out_all(table.as_slice(), patience)?;
        let schema = &base.quoted_schema();
        for step in &self.steps {
            match step {
                Step::Run(statement) => c.run(&spi::render(statement, &[("schema", schema)]))?,
                Step::DropIndex(index) if base.has_relation(index) => {
                    let values = [("schema", schema.as_str()), ("index", &index.to_string_lossy())];
                    c.run(&spi::render(include_str!("drop_index.sql"), &values))?;
                }
                Step::DropIndex(_) => {}
            }
        }
        Ok(())
    }
}
