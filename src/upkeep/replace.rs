//! Putting a new table or index in the place of an old one.

use std::ffi::{CStr, CString};

use kb_rag_core::model_name::ModelName;
use pgrx::pg_sys;

use super::collection;
use super::vectors;
use crate::base::{self, IndexKind, KnowledgeBase};
use crate::error::Result;
use crate::lock::{Lockable, Patience};
use crate::postgres::spi::{self, Connection};

/// Tables and indexes that were built under other names and are to replace the old ones. Only writers wait while they are
/// built; searches are locked out for the moment of the renaming.
#[derive(Default)]
pub struct Replacement {
    steps: Vec<Step>,
}

enum Step {
    /// Drops an index if there is one. `DROP INDEX IF EXISTS` would tell the user of one that is missing.
    DropIndex(CString),
    Run(String),
    /// Drops the table that the views of kb_expose read. The vectors are of this model from then on.
    ReplaceEmbedding {
        statement: String,
        model: String,
    },
}

impl Replacement {
    /// Rebuilds the index over metadata.
    pub fn metadata_index(&mut self, c: &Connection, schema: &str) -> Result<()> {
        base::create_metadata_index(c, schema, "chunk_metadata_new")?;
        self.rename_index(c"chunk_metadata");
        Ok(())
    }

    /// Rebuilds the index over the vectors, and drops those that the settings do not ask for.
    pub fn vector_index(&mut self, c: &Connection, base: &KnowledgeBase) -> Result<()> {
        let schema = base.quoted_schema();
        let built = base::create_vector_index(c, &schema, &base.settings, "embedding", "_new")?;
        for kind in IndexKind::ALL {
            self.drop_index(&kind.index_of("embedding"));
        }
        self.drop_index(base::IVFFLAT_NEXT);
        if let Some(kind) = built {
            self.rename_new_index(&kind.index_of("embedding"));
        }
        Ok(())
    }

    /// Puts the IVFFlat index that a worker has built, if there is one, in the place of the old one.
    pub fn ivfflat(&mut self, base: &KnowledgeBase) {
        self.drop_index(base::IVFFLAT);
        if base.has_relation(base::IVFFLAT_NEXT) {
            let [from, to] = [base::IVFFLAT_NEXT, base::IVFFLAT].map(CStr::to_string_lossy);
            self.run(include_str!("rename_index.sql"), &[("index", &from), ("name", &to)]);
        }
    }

    fn rename_index(&mut self, index: &CStr) {
        self.drop_index(index);
        self.rename_new_index(index);
    }

    fn rename_new_index(&mut self, index: &CStr) {
        let name = index.to_string_lossy();
        self.run(include_str!("rename_index.sql"), &[("index", &format!("{name}_new")), ("name", &name)]);
    }

    fn drop_index(&mut self, index: &CStr) {
        self.steps.push(Step::DropIndex(index.to_owned()));
    }

    fn run(&mut self, template: &str, values: &[(&str, &str)]) {
        self.steps.push(Step::Run(spi::render(template, values)));
    }

    /// The table `table`, filled with vectors of a model and with an index of the kind `index`, becomes `embedding`.
    pub fn embedding_table(&mut self, table: &str, model: &ModelName, index: Option<IndexKind>) {
        let statement = spi::render(include_str!("replace_embedding.sql"), &[("table", table)]);
        self.steps.push(Step::ReplaceEmbedding { statement, model: model.to_string() });
        if let Some(kind) = index {
            let [from, to] = [table, "embedding"].map(|table| kind.index_of(table));
            let [from, to] = [&from, &to].map(|name| name.to_string_lossy());
            self.run(include_str!("rename_index.sql"), &[("index", &from), ("name", &to)]);
        }
    }

    /// Replaces the old objects as soon as nobody uses them. `tables` are those beside the tables of the base that others use. 55P03
    /// if other transactions still use the base when the patience ends; at once if one of them has read the base and now
    /// waits to write to it. 2BP01 if objects of users depend on a table that is replaced.
    pub fn take_place(
        self,
        c: &Connection,
        base: &KnowledgeBase,
        tables: &[pg_sys::Oid],
        patience: Patience,
    ) -> Result<()> {
        if self.steps.is_empty() {
            return Ok(());
        }
        base.lock_out_all(tables, patience)?;
        let schema = &base.quoted_schema();
        for step in &self.steps {
            match step {
                Step::Run(statement) => c.run(&spi::render(statement, &[("schema", schema)]))?,
                Step::ReplaceEmbedding { statement, model } => {
                    base.require_replaceable_vectors()?;
                    let sql = spi::render(statement, &[("schema", schema)]);
                    let policies = vectors::policies(c, schema)?;
                    collection::with_views(c, base, model, || {
                        c.run(&sql)?;
                        policies.iter().try_for_each(|policy| c.run(policy))
                    })?;
                }
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
