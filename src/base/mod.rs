//! Knowledge bases: finding them in the catalog, creating and dropping them, and privileges on them.

mod adopt;
mod agent;
mod altered;
mod attached;
mod create;
mod dependents;
mod drop;
mod expose;
mod filter;
mod find;
mod lockable;
mod pending;
mod privileges;
mod rename;
mod settings;
mod shape;
mod summary;
mod upsert_key;
mod vector_index;
pub mod versions;

use std::cell::Cell;

use kb_rag_core::model_name::EmbeddingSpace;
use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use crate::catalog;
use crate::choice::Choice;
use crate::chunking::ChunkSettings;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::lookup;
use crate::postgres::relation;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Arg, Connection};

pub use crate::lock::Extent;
pub use adopt::adopt;
pub use agent::configure::{configure_agent, uses_knowledge_base};
pub use agent::drop::drop_agent;
pub use agent::unattached::{Unattached, note_unattached, unattached};
pub use agent::{
    Attachment, agent_id, attach_agent, attachments, detach_agent, has_bases, is_agent_administered,
};
pub use altered::naming_base;
pub use attached::follow::visible_chunks;
pub use attached::follow::{Followed, row_is_visible, watch as watch_followed};
pub use attached::policies::Policies;
pub use attached::row_security::{RowSecurity, note_row_security, with_row_security};
pub use attached::{attached_relations, drop_attached_triggers, hold_attached, lost_sources};
pub use create::objects::{
    create_embedding_table, create_metadata_index, create_next_tables, each_role, revoke_from_others,
};
pub use create::{check_description, create};
pub use drop::drop_base;
pub use expose::{DEFAULT_CONTENT_KEY, Layout, Request as Exposure, drop_function, drop_view, expose};
pub use filter::check_filter;
pub use find::circle::{
    Covered, Reach, Unnamed, circle, named, named_by, notify_of_outside, safe_to_name, shown, unnamed,
};
pub use find::locked::{locked, locked_for_admin};
pub use find::lost::hint_for_id as hint_for_lost;
pub use find::near::in_order;
use find::near::{unknown, warn_of_case};
pub use find::{
    any_logs_searches, by_id, by_name, by_name_for_agent, changed, exists, of_agent, of_part, pinned,
    pinned_unnamed, readable, require_safe, safe_for_agent, with_schema,
};
use find::{find, select, visible};
pub use pending::{NextTables, Pending};
pub use privileges::grant::{Privilege, grant, revoke};
pub use privileges::grant_admin::{grant_admin, revoke_admin};
pub use rename::rename;
pub use settings::are_lexemes_recorded;
pub use settings::choices::{Embed, IndexMethod, Ranker};
use settings::stored::{self, Stored};
pub use settings::{Changes, Lexemes, NO_THRESHOLD, Ranking, Settings, check_threshold};
pub use shape::table_in;
pub use vector_index::{IVFFLAT, IVFFLAT_NEXT, IndexKind, create_vector_index, drop_ivfflat_of_empty};

/// pgvector indexes at most this many dimensions of a `vector`; above, the column is a `halfvec`.
const MAX_VECTOR_DIMENSIONS: i32 = 2000;
/// pgvector indexes at most this many dimensions of a `halfvec`; above, there is no index and vectors are toasted.
const MAX_INDEXED_DIMENSIONS: i32 = 4000;

/// The hint for tables that are not as kb_rag made them.
const RESTORE: &str = "Restore the tables as kb_create made them, for example from a dump, or drop the knowledge base with kb_drop.";

/// A search without a scope covers at most this many bases.
pub const MAX_BASES: usize = 64;

/// 55000 for tables that Citus distributes: their rows are on other nodes, or in tables of other names.
fn distributed(what: &str, schema: &str) -> Error {
    let quoted = spi::quote_literal(schema);
    Error::not_ready(format!("the tables of {what} are distributed or managed by Citus"))
        .detail("Their rows are in shards, which kb_rag does not read or write.")
        .hint(format!(
            "Dump schema {} with pg_dump, drop it, and restore it with citus.enable_ddl_propagation and \
             citus.enable_schema_based_sharding off. SELECT kb_adopt({quoted}) makes triggers that were dropped again.",
            spi::quote_identifier(schema)
        ))
}

/// One knowledge base as the catalog has it.
#[derive(Debug, Clone)]
pub struct KnowledgeBase {
    pub id: Uuid,
    pub name: String,
    /// The name as a part of identifiers, which it keeps.
    pub slug: String,
    /// The schema that holds its tables, not quoted.
    pub schema: String,
    pub description: Option<String>,
    pub owner: String,
    pub settings: Settings,
    pub created_at: TimestampWithTimeZone,
    /// The pending model and its dimensions, while its vectors are being made.
    pub next: Option<EmbeddingSpace>,
    /// How texts are cut after the pending change; None if that stays as it is. Then `next` may be the present model.
    pub next_cut: Option<ChunkSettings>,
    /// The weights of the model that embedded it.
    pub model_variants: Vec<String>,
    /// The filter of an agent, which sees the chunks whose metadata contains this. None where the base was not found for an
    /// agent, or is not attached to it.
    pub agent_filter: Option<Jsonb>,
    /// Whether it has attached tables whose row security closes it.
    follows_tables: bool,
    /// Whether it has attached tables whose row security is followed by policies on its own tables.
    pub follows_rows: bool,
    /// The role for which such tables were looked at and do not close the base.
    open_to: Cell<Option<pg_sys::Oid>>,
    /// The schema that the catalog names; it differs from `schema` if the schema was renamed.
    recorded_schema: String,
    /// The OID of its schema, while that is the base's.
    namespace: Option<pg_sys::Oid>,
    /// Whether Citus distributes its tables. Such a base is not used at all: what its tables show here is not what they hold.
    is_distributed: bool,
    /// Why its row of the catalog is damaged, which only a superuser can cause. Such a base can only be dropped, or adopted
    /// again.
    damage: Option<String>,
}

impl KnowledgeBase {
    /// 55000 where Citus distributes its tables, or its row of the catalog is damaged.
    fn require_sound(self) -> Result<KnowledgeBase> {
        self.require_local()?;
        match &self.damage {
            None => Ok(self),
            Some(damage) => Err(Error::not_ready(format!(
                "the catalog row of knowledge base \"{}\" is damaged: {damage}",
                self.name
            ))
            .hint(format!(
                "Run kb_adopt({}) to take over the settings stored with its tables, or kb_drop to remove the base.",
                spi::quote_literal(&self.schema)
            ))),
        }
    }

    /// 55000 where Citus distributes its tables.
    fn require_local(&self) -> Result<()> {
        match self.is_distributed {
            true => Err(distributed(&format!("knowledge base \"{}\"", self.name), &self.schema)),
            false => Ok(()),
        }
    }

    /// Whether its schema was dropped.
    pub fn is_gone(&self) -> bool {
        self.namespace.is_none() && !lookup::schema_exists(&self.schema)
    }

    /// Whether its schema exists.
    pub fn has_schema(&self) -> bool {
        self.namespace.is_some()
    }

    /// The schema as an identifier.
    pub fn quoted_schema(&self) -> String {
        spi::quote_identifier(&self.schema)
    }

    /// One of its tables. 42704 if it was dropped or renamed.
    pub fn table(&self, name: &std::ffi::CStr) -> Result<pg_sys::Oid> {
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        lookup::relation(namespace, name)
            .ok_or_else(|| self.lost(&format!("table \"{}\"", name.to_string_lossy())))
    }

    /// The role that owns `document`, and with it the base.
    pub fn owner_role(&self) -> Result<pg_sys::Oid> {
        lookup::table_owner(self.table(c"document")?)
    }

    /// Runs `work` as the owner of the base.
    pub fn as_owner<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        role::run_as(self.owner_role()?, work)
    }

    /// Runs `work` with a connection that has the privileges of the base's owner.
    pub fn connect<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.as_owner(|| spi::connect(work))
    }

    /// A table beside `document` that is the base's own: an ordinary table of the same owner. None if there is no relation of
    /// this name. 42501 for any other relation: administrators of a base may create objects in its schema, and code on their
    /// tables must not run as the owner.
    pub fn own_table(&self, name: &std::ffi::CStr) -> Result<Option<pg_sys::Oid>> {
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        shape::own_table(namespace, name, self.owner_role()?)
    }

    /// Warns that a view of all bases leaves this one out.
    pub fn warn_of_altered_tables(&self) {
        Error::warning(format!(
            "knowledge base \"{}\" is left out: its tables are missing or altered",
            self.name
        ))
        .hint(RESTORE)
        .notify();
    }

    /// Warns that its policies keep it out of a search that does not name it.
    fn warn_of_policies(&self) {
        let author = if self.is_owner_trusted().unwrap_or(true) {
            "the owner of an attached table"
        } else {
            "its owner"
        };
        pgrx::warning!(
            "knowledge base \"{}\" is left out: row security that {author} wrote would run with your privileges; name it to \
             search it",
            self.name
        );
    }

    /// 42704 for a base whose schema, or a part of it, is gone.
    pub fn lost(&self, what: &str) -> Error {
        Error::not_found(format!("knowledge base \"{}\" has lost its {what}", self.name))
            .detail(format!("There is no table \"{}\".document with the triggers of this base.", self.schema))
            .hint("Restore the schema, or its triggers with kb_adopt, or remove the base from the catalog with kb_drop.")
    }

    /// Records that weights of this variant embedded chunks of the base. Usually that is recorded already: the row is written
    /// once for each variant, and left to the next writer while another session has it locked.
    pub fn record_variant(&self, variant: Option<&str>) -> Result<()> {
        let Some(variant) =
            variant.filter(|&variant| self.model_variants.iter().all(|known| known != variant))
        else {
            return Ok(());
        };
        catalog::connect(|c| {
            c.execute(include_str!("record_variant.sql"), &[Arg::new(self.id), Arg::new(variant)])
        })?;
        Ok(())
    }

    /// Writes settings, description, schema and variants to the catalog; returns how many rows there were.
    pub fn update_row(&self) -> Result<u64> {
        catalog::connect(|c| {
            let mut args = vec![
                Arg::new(self.id),
                Arg::new(self.description.as_deref()),
                Arg::new(self.schema.as_str()),
                Arg::new(self.model_variants.clone()),
                Arg::new(self.next.as_ref().map(|next| next.model.as_str())),
                Arg::new(self.next.as_ref().map(|next| next.dimensions)),
            ];
            let is_cut_recorded = are_lexemes_recorded();
            if is_cut_recorded {
                let cut = self.next_cut;
                args.extend([Arg::new(cut.map(|cut| cut.size)), Arg::new(cut.map(|cut| cut.overlap))]);
                args.extend([
                    Arg::new(cut.map(|cut| cut.unit.name())),
                    Arg::new(cut.map(|cut| cut.strategy.name())),
                ]);
            }
            let next_cut = if is_cut_recorded { include_str!("update_next_cut.sql").trim() } else { "" };
            let values = self.settings.placeholders(args.len());
            args.extend(self.settings.args());
            let replacements =
                [("settings", Settings::columns()), ("values", &values), ("next_cut", next_cut)];
            c.execute(&spi::render(include_str!("update.sql"), &replacements), &args)
        })
        .inspect(|_| self.has_changed())
    }

    /// Has all sessions forget what they keep of its settings.
    fn has_changed(&self) {
        if let Ok(document) = self.table(c"document") {
            relation::forget(document);
        }
    }

    /// Writes the copy of the settings that stays with the tables.
    pub fn store_settings(&self) -> Result<()> {
        stored::write(self)
    }

    /// Finds its schema. Only if it is not where the catalog says, it is looked for by its trigger.
    fn locate(&mut self) -> Result<()> {
        let mut place = shape::place_of(&self.schema, &self.id);
        if !place.as_ref().is_some_and(|place| place.is_own) {
            let found = find::lost::schemas_of(self.id)?;
            if let [schema] = found.as_slice() {
                place = shape::place_of(schema, &self.id);
                self.schema.clone_from(schema);
            }
        }
        // Citus distributes no table that has triggers: those of the base may be gone.
        self.is_distributed = place.as_ref().is_some_and(|place| place.is_distributed);
        self.namespace = place.filter(|place| place.is_own).map(|place| place.namespace);
        Ok(())
    }

    /// Whether the vectors were replaced, or the base was created, since the snapshot in use was taken.
    pub fn is_newer_than_snapshot(&self) -> Result<bool> {
        self.table(c"embedding").map_or(Ok(false), |table| snapshot::is_older_than(table, "embedding"))
    }

    /// Writes one setting that is stored with the tables, but not in the catalog.
    pub fn store_setting(&self, name: &str, value: &str) -> Result<()> {
        stored::write_one(self, name, value)
    }

    /// Writes the settings stored with the tables into the comment on their table, if they differ.
    pub fn comment_settings(&self) -> Result<()> {
        stored::comment(self)
    }

    /// A setting as stored with the tables.
    pub fn stored_setting(&self, name: &str) -> Result<Option<String>> {
        if self.own_table(c"setting")?.is_none() {
            return Ok(None);
        }
        self.as_owner(|| stored::read_one(&self.quoted_schema(), name))
    }

    /// The settings and names stored with the tables; None where there are no settings.
    fn stored(&self) -> Result<Option<Stored>> {
        if self.own_table(c"setting")?.is_none() {
            return Ok(None);
        }
        let stored = self.as_owner(|| stored::read(&self.quoted_schema(), true))?;
        Ok(Some(stored).filter(Stored::names_model))
    }

    /// 55000 where the tables were restored from a dump that was made under other settings: their vectors may be of
    /// another model.
    pub fn require_stored_settings(&self) -> Result<()> {
        if self.stored()?.is_none_or(|stored| stored.is_of(&self.settings)) {
            return Ok(());
        }
        Err(Error::not_ready(format!(
            "the settings stored with knowledge base \"{}\" differ from the catalog, as after a restore",
            self.name
        ))
        .hint(format!("Run SELECT kb_adopt({}) to use those settings.", spi::quote_literal(&self.schema))))
    }

    fn expect_schema(self) -> Result<KnowledgeBase> {
        if self.namespace.is_some() { Ok(self) } else { Err(self.lost("schema")) }
    }
}
