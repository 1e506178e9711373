//! Taking over tables that have no row in the catalog.

use std::ffi::{CStr, CString};

use kb_rag_core::plural::counted;
use pgrx::{Uuid, pg_sys};

use super::create::{CatalogRow, SchemaName, check_name, exists};
use super::vector_index::create_vector_index;
use super::versions::Versions;
use super::{Changes, KnowledgeBase, Settings, distributed, find, select, shape, versions};
use crate::base::create::objects;
use crate::base::privileges::grant::not_owner;
use crate::base::settings::stored::{self, Stored};
use crate::catalog;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::citus;
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection};
use crate::postgres::uuid;
use crate::postgres::vector::Pgvector;
use crate::queue;

/// The triggers of a base, with their tables.
const TRIGGERS: [(&CStr, &CStr); 9] = [
    (c"document", c"kb_rag_prepare"),
    (c"document", c"kb_rag_insert"),
    (c"document", c"kb_rag_update"),
    (c"document", c"kb_rag_replicated"),
    (c"chunk", c"kb_rag_count_insert"),
    (c"chunk", c"kb_rag_count_update"),
    (c"chunk", c"kb_rag_count_delete"),
    (c"chunk", c"kb_rag_count_truncate"),
    (c"chunk", c"kb_rag_number"),
];

/// Enters the tables of a schema into the catalog, and restores what DROP EXTENSION dropped: triggers, defaults, and the
/// tables of the keyword index. The settings are those stored in the schema; `name` and `model` override them. The caller
/// must have the privileges of the tables' owner.
pub fn adopt(schema: &str, name: Option<&str>, model: Option<&str>) -> Result<KnowledgeBase> {
    let tables = Tables::find(schema)?;
    if let Some(base) = known(&tables)? {
        return Ok(base);
    }
    let found = role::run_as(tables.owner, || {
        spi::connect(|c| c.run(&spi::render(include_str!("columns.sql"), &[("schema", &tables.quoted)])))?;
        if tables.has(c"setting") {
            stored::restore(&tables.quoted)?;
        }
        stored::read(&tables.quoted, tables.has(c"setting"))
    })?;
    let settings = tables.settings(&found, model)?;
    let name = name.or(found.name.as_deref()).ok_or_else(|| {
        Error::null("name")
            .detail(format!("The schema \"{schema}\" does not record the name of its knowledge base."))
    })?;
    check_name(name)?;
    if find(name)?.is_some() {
        return Err(exists(name).hint("Give another name: kb_adopt(schema, name => '…')."));
    }
    let id = free_id(found.id)?;
    let owner = role::role_name(tables.owner)?;
    let row = CatalogRow {
        id,
        name,
        description: found.description.as_deref(),
        owner: &owner,
        settings: &settings,
        variants: found.variants.iter().map(String::as_str).collect(),
    };
    row.insert(&SchemaName::Existing(schema))?;
    let base = super::by_id(id)?.ok_or_else(|| Error::internal("the adopted base is not in the catalog"))?;
    role::run_as(tables.owner, || spi::connect(|c| tables.restore(c, &base)))?;
    finish(id)
}

/// A base whose row is in the catalog: its schema was renamed, or its triggers are lost. 42710 if nothing is wrong with it.
fn known(tables: &Tables) -> Result<Option<KnowledgeBase>> {
    let schema = lookup::schema_name(tables.namespace)?;
    let bases = select("true", Access::Write, Vec::new)?;
    if let Some(base) = bases.iter().find(|base| base.namespace == Some(tables.namespace)) {
        if let Some(base) = restored_in_place(tables, base)? {
            return Ok(Some(base));
        }
        if base.recorded_schema == schema {
            return Err(Error::exists(format!(
                "schema \"{schema}\" is in use by knowledge base \"{}\"",
                base.name
            )));
        }
        return finish(base.id).map(Some);
    }
    let lost = bases.into_iter().find(|base| base.recorded_schema == schema);
    let Some(base) = lost else { return Ok(None) };
    if base.owner != role::role_name(tables.owner)? && !role::is_superuser(role::current_role()) {
        return Err(not_owner(&base.name, &base.owner));
    }
    role::run_as(tables.owner, || spi::connect(|c| tables.restore(c, &base)))?;
    finish(base.id).map(Some)
}

/// A base whose tables came back from a dump made under other settings, or whose row of the catalog is damaged: the
/// settings stored with the tables are used.
fn restored_in_place(tables: &Tables, base: &KnowledgeBase) -> Result<Option<KnowledgeBase>> {
    let stored = base.stored()?.filter(|stored| base.damage.is_some() || !stored.is_of(&base.settings));
    let Some(stored) = stored else { return base.clone().require_sound().map(|_| None) };
    let mut restored = base.clone();
    restored.settings = tables.settings(&stored, None)?;
    if base.damage.is_some() {
        (restored.description, restored.model_variants) = (stored.description, stored.variants);
        (restored.next, restored.next_cut) = (None, None);
    }
    restored.update_row()?;
    finish(base.id).map(Some)
}

/// Creates the triggers if they are missing, and records the schema of the base.
fn finish(id: Uuid) -> Result<KnowledgeBase> {
    let gone = || Error::internal("the adopted base is not in the catalog");
    let base = super::by_id(id)?.ok_or_else(gone)?;
    if base.namespace.is_none() {
        objects::create_triggers(&base)?;
    }
    let base = super::by_id(id)?.ok_or_else(gone)?.expect_schema()?;
    base.update_row()?;
    base.store_settings()?;
    // What kept workers from its tables may be over.
    queue::end_pauses_of_base(base.id)?;
    Ok(base)
}

/// The stored id, unless another base or an agent has it: searches of that agent would reach this base.
fn free_id(stored: Option<Uuid>) -> Result<Uuid> {
    let Some(id) = stored else { return uuid::v7() };
    let taken = catalog::connect(|c| {
        c.query_one(include_str!("id_taken.sql"), Access::Write, &[Arg::new(id)], |row| {
            row.require::<bool>(1)
        })
    })?;
    if taken == Some(false) { Ok(id) } else { uuid::v7() }
}

/// The tables in a schema.
struct Tables {
    namespace: pg_sys::Oid,
    /// The schema as an identifier.
    quoted: String,
    owner: pg_sys::Oid,
    pgvector: Pgvector,
}

impl Tables {
    /// 42704 when there is no such schema or no base in it, 42501 unless the caller has the privileges of the owner.
    fn find(schema: &str) -> Result<Tables> {
        let missing = |what: String| {
            Error::not_found(what)
                .hint("Give the schema that holds the tables of a knowledge base, such as kb_support.")
        };
        let name = CString::new(schema).map_err(|_| missing("the schema does not exist".to_string()))?;
        let namespace =
            lookup::schema(&name).ok_or_else(|| missing(format!("schema \"{schema}\" does not exist")))?;
        let owner = [c"source", c"document", c"chunk"]
            .map(|table| shape::table_in(namespace, table))
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .and_then(|tables| tables.get(1).copied())
            .map(lookup::table_owner)
            .ok_or_else(|| missing(format!("schema \"{schema}\" does not contain a knowledge base")))??;
        if !role::has_privileges_of(owner) {
            return Err(Error::denied(format!("must be owner of the tables in schema \"{schema}\""))
                .hint(format!("Ask role \"{}\", which owns them.", role::role_name(owner)?)));
        }
        if shape::table_in(namespace, c"document").is_some_and(citus::is_distributed) {
            return Err(distributed(&format!("schema \"{schema}\""), schema));
        }
        for table in [c"source", c"chunk", c"embedding", c"keyword_segment", c"keyword_run", c"setting"] {
            shape::own_table(namespace, table, owner)?;
        }
        Ok(Tables { namespace, quoted: spi::quote_identifier(schema), owner, pgvector: Pgvector::find()? })
    }

    fn has(&self, table: &CStr) -> bool {
        shape::table_in(self.namespace, table).is_some()
    }

    fn has_versions(&self) -> bool {
        let document = shape::table_in(self.namespace, c"document").unwrap_or(pg_sys::InvalidOid);
        Versions::of_table(document).are_kept()
    }

    fn has_context(&self) -> bool {
        let context = shape::column(self.namespace, c"chunk", c"context");
        context.is_some_and(|(kind, _)| kind == pg_sys::TEXTOID)
    }

    /// The dimensions of the existing vectors.
    fn dimensions(&self) -> Option<i32> {
        let (kind, dimensions) = shape::column(self.namespace, c"embedding", c"embedding")?;
        self.pgvector.has_type(kind).then_some(dimensions)
    }

    /// The settings to use. 22000 when the model gives other dimensions than the vectors have.
    fn settings(&self, stored: &Stored, model: Option<&str>) -> Result<Settings> {
        if model.is_none() && !stored.names_model() {
            return Err(Error::null("model")
                .detail(format!("The schema {} does not record the model of its vectors.", self.quoted)));
        }
        let mut base = stored.settings()?.clone();
        let dimensions = self.dimensions();
        base.space.dimensions = dimensions.unwrap_or(base.space.dimensions);
        let model = model.filter(|model| *model != base.space.model.as_str());
        let changes = Changes { model, dimensions: model.and(dimensions), ..Changes::default() };
        let (settings, _) = base.with(&changes)?;
        // The owner may have written anything into the table of settings.
        settings.check_stored()?;
        // The vectors can be searched even if the model cannot be reached.
        if let Ok(model) = model::resolve(&settings.space.model) {
            settings.chunks.check(&model)?;
        }
        if let Some(dimensions) = dimensions.filter(|n| *n != settings.space.dimensions) {
            return Err(Error::bad_vector(format!(
                "the vectors in schema {} have {}, not {}",
                self.quoted,
                counted(dimensions, "dimension"),
                settings.space.dimensions
            )));
        }
        Ok(settings)
    }

    /// Adds the column of the vectors, which DROP EXTENSION vector dropped; kb_reconcile makes the vectors again. 42804 if
    /// the table has any other column, which may hold vectors under another name.
    fn restore_vectors(&self, c: &Connection, base: &KnowledgeBase) -> Result<()> {
        let table = format!("{}.embedding", self.quoted);
        let columns =
            c.query_one(include_str!("columns_of.sql"), Access::Write, &[Arg::new(table)], |row| {
                row.require::<Vec<String>>(1)
            })?;
        if columns.as_deref() != Some(&["chunk_id".to_string()]) {
            return Err(Error::wrong_type("column \"embedding\" of table embedding is missing or altered")
                .hint("Restore the column, or drop the table embedding: kb_reconcile then embeds all chunks again."));
        }
        objects::add_vectors(c, &self.quoted, &base.settings)
    }

    /// Drops the triggers that are left: they may have the id of another base. Those that are missing are looked up first,
    /// because PostgreSQL tells of every one that it skips.
    fn drop_triggers(&self, c: &Connection) -> Result<()> {
        for (table, trigger) in TRIGGERS {
            let has_trigger =
                shape::table_in(self.namespace, table).is_some_and(|oid| lookup::has_trigger(oid, trigger));
            if has_trigger {
                let [trigger, table] = [trigger, table].map(|name| name.to_string_lossy());
                let of_table = format!("{trigger} ON {}.{table}", self.quoted);
                c.run(&spi::render(include_str!("../drop_trigger.sql"), &[("trigger", &of_table)]))?;
            }
        }
        Ok(())
    }

    /// Restores all but the triggers, as the owner of the tables.
    fn restore(&self, c: &Connection, base: &KnowledgeBase) -> Result<()> {
        let schema = &self.quoted;
        self.drop_triggers(c)?;
        if base.next.is_none() {
            // The change that made them is not known here.
            for table in shape::tables_of_next(self.namespace)? {
                c.run(&spi::render(
                    include_str!("drop_leftover.sql"),
                    &[("schema", schema), ("table", &table)],
                ))?;
            }
        }
        c.run(&spi::render(include_str!("restore_defaults.sql"), &[("schema", schema)]))?;
        if !self.has_versions() {
            versions::add_columns(c, schema)?;
        }
        if !self.has_context() {
            versions::add_context(c, schema)?;
        }
        if !self.has(c"embedding") {
            objects::create_embedding_table(c, schema, &base.settings, "embedding")?;
        } else if self.dimensions().is_none() {
            self.restore_vectors(c, base)?;
        }
        let index = base.settings.index_kind().map(|kind| kind.index_of("embedding"));
        if index.is_some_and(|index| !shape::relation_in(self.namespace, &index)) {
            create_vector_index(c, schema, &base.settings, "embedding", "")?;
        }
        if !shape::relation_in(self.namespace, c"chunk_metadata") {
            objects::create_metadata_index(c, schema, "chunk_metadata")?;
        }
        if !shape::relation_in(self.namespace, c"chunk_document_id_ordinal") {
            versions::add_ordinal_index(c, schema)?;
        }
        if !shape::relation_in(self.namespace, c"chunk_keyword_number") {
            c.run(&spi::render(include_str!("create_number_index.sql"), &[("schema", schema)]))?;
        }
        if self.has(c"keyword_segment") && self.has(c"keyword_run") {
            return Ok(());
        }
        c.run(&spi::render(include_str!("drop_keyword_tables.sql"), &[("schema", schema)]))?;
        objects::create_keyword_tables(c, schema)
    }
}
