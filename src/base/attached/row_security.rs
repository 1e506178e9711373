//! Row security of attached tables. Their rows are read as the owner of the table, to whom policies do not apply. So policies of
//! the base follow those of the table, unless its owner publishes all rows; and if row security is enabled later, the base is
//! closed to the roles to which it applies, until the table is attached again.

use pgrx::{Uuid, pg_sys};

use crate::base::{Followed, KnowledgeBase};
use crate::catalog;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::privilege;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::transaction;
use crate::queue;

/// What an owner wants to happen to row security of an attached table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSecurity {
    /// The rows are shown to roles that see them in the table.
    Follow,
    /// The rows are not shown to roles to which it applies.
    Refuse,
    /// The rows are shown to everybody who may read the base.
    Ignore,
}

impl RowSecurity {
    /// That of kb_attach.
    pub const DEFAULT: RowSecurity = RowSecurity::Follow;
}

impl Choice for RowSecurity {
    const WHAT: &'static str = "row_security";
    const ALL: &'static [RowSecurity] = &[RowSecurity::Follow, RowSecurity::Refuse, RowSecurity::Ignore];

    fn name(self) -> &'static str {
        match self {
            RowSecurity::Follow => "follow",
            RowSecurity::Refuse => "refuse",
            RowSecurity::Ignore => "ignore",
        }
    }
}

/// An attached table with row security that its owner does not want to be ignored, and that policies do not follow.
struct Secured {
    source_id: Uuid,
    /// Its name.
    table: String,
    /// What has row security: the table, one that it is a partition of, or one of its partitions. None if it was dropped.
    relation: Option<pg_sys::Oid>,
}

impl Secured {
    fn for_base(base: &KnowledgeBase) -> Result<Vec<Secured>> {
        if !base.follows_tables {
            return Ok(Vec::new());
        }
        let sql = with_tree(include_str!("row_secured.sql"));
        // PostgreSQL takes no further snapshot while a parallel query runs.
        let access = if transaction::is_parallel() { Access::Read } else { Access::Latest };
        catalog::connect(|c| {
            c.query(&sql, access, Planning::Generic, &[Arg::new(base.id)], |row| {
                Ok(Secured { source_id: row.require(1)?, table: row.require(2)?, relation: row.get(3)? })
            })
        })
    }

    /// Whether it applies to the current role. Nobody is exempt as the owner of a table that is gone.
    fn applies(&self) -> bool {
        match self.relation {
            Some(relation) => privilege::is_row_secured(relation),
            None => !role::bypasses_row_security(role::current_role()),
        }
    }

    fn ways_out(&self, base: &KnowledgeBase) -> String {
        let name = spi::quote_literal(&base.name);
        match self.relation {
            Some(_) => format!(
                "The owner of the table can call kb_attach again, with row_security => 'follow' or 'ignore', or an \
                 administrator of the knowledge base kb_detach({}, {name}, delete_documents => true).",
                spi::quote_literal(&self.table)
            ),
            None => format!(
                "An administrator of the knowledge base can delete the source {} from its table source and run \
                 kb_reconcile({name}), which deletes the documents.",
                self.source_id
            ),
        }
    }
}

/// A statement that begins with the common table expressions of row_security_tree.sql.
fn with_tree(sql: &str) -> String {
    spi::render(sql, &[("tree", include_str!("row_security_tree.sql"))])
}

impl KnowledgeBase {
    /// Why the current role may not read the base although it has the privileges: row security of an attached table applies to
    /// it. A worker then records this, in case the table is dropped.
    pub fn closed(&self) -> Result<Option<Error>> {
        let caller = role::current_role();
        if !(self.follows_tables || self.follows_rows) || self.open_to.get() == Some(caller) {
            return Ok(None);
        }
        let closed = |table: &str, hint: String| {
            let message = format!(
                "knowledge base \"{}\" is closed to you: row security of the attached table {table} applies",
                self.name
            );
            Ok(Some(Error::not_ready(message).hint(hint)))
        };
        if let Some(secured) = Secured::for_base(self)?.into_iter().find(Secured::applies) {
            queue::wake_at_once();
            return closed(&secured.table, secured.ways_out(self));
        }
        if let Some(followed) = self.followed_past_policies()? {
            return closed(
                &followed.location,
                "Give the table and the knowledge base the same owner.".to_string(),
            );
        }
        self.open_to.set(Some(caller));
        Ok(None)
    }

    /// A followed table of another role, for the owner of the base: policies of the base do not apply to it. kb_attach refuses that, but
    /// owners may change.
    fn followed_past_policies(&self) -> Result<Option<Followed>> {
        let is_bound = self.is_row_secured()? || role::bypasses_row_security(role::current_role());
        if !self.follows_rows || is_bound {
            return Ok(None);
        }
        let is_of_another =
            |followed: &Followed| followed.owner().is_some_and(|owner| !role::has_privileges_of(owner));
        Ok(Followed::of_base(self)?.into_iter().find(is_of_another))
    }

    /// 55000 where [`Self::closed`].
    pub(in crate::base) fn require_open(&self) -> Result<()> {
        self.closed()?.map_or(Ok(()), Err)
    }

    /// How attached tables with row security are treated. None where there are no such tables.
    pub fn row_security_note(&self) -> Result<Option<String>> {
        let notes: Vec<String> = [self.closed_note()?, self.followed_note()?].into_iter().flatten().collect();
        Ok((!notes.is_empty()).then(|| notes.join("; ")))
    }

    /// Which tables are followed, whose documents are hidden from all, and whether other documents are shown to all readers.
    fn followed_note(&self) -> Result<Option<String>> {
        let followed = Followed::of_base(self)?;
        if followed.is_empty() {
            return Ok(None);
        }
        let names = |hidden: bool| {
            let of = followed.iter().filter(|followed| followed.is_hidden() == hidden);
            of.map(|followed| followed.location.as_str()).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        let (asked, hidden) = (names(false), names(true));
        if !asked.is_empty() {
            notes.push(format!("follows row security of the attached table {asked}"));
        }
        if !hidden.is_empty() {
            notes.push(format!(
                "documents of the attached table {hidden} are hidden: it was dropped, lost its triggers, or has another key"
            ));
        }
        if self.is_opened()? {
            notes.push("policy kb_rag_open shows all other documents to readers".to_string());
        }
        Ok(Some(notes.join("; ")))
    }

    /// Which attached tables close the base to some roles, and which of these roles still read its tables with statements of their
    /// own: privileges on them were granted.
    fn closed_note(&self) -> Result<Option<String>> {
        let secured = Secured::for_base(self)?;
        let Some(first) = secured.first() else { return Ok(None) };
        let relations: Vec<pg_sys::Oid> = secured.iter().filter_map(|secured| secured.relation).collect();
        let is_any_gone = relations.len() < secured.len();
        let readers = catalog::connect(|c| {
            let args = [Arg::new(self.schema.as_str()), Arg::new(relations), Arg::new(is_any_gone)];
            c.query_one(include_str!("direct_readers.sql"), Access::Read, &args, |row| row.get::<String>(1))
        })?;
        let closed =
            format!("closed to roles to which row security of the attached table {} applies", first.table);
        Ok(Some(match readers.flatten() {
            Some(readers) => format!("{closed}; these may read its tables directly: {readers}"),
            None => closed,
        }))
    }

    /// 55000 if documents of a source must not stay without the table: its row security would protect them no longer.
    pub fn require_not_secured(&self, source_id: Uuid) -> Result<()> {
        let cannot_stay = |table: &str| {
            Error::not_ready(format!(
                "the documents of table {table} cannot stay: the table has row security"
            ))
        };
        if let Some(secured) = Secured::for_base(self)?.iter().find(|secured| secured.source_id == source_id)
        {
            return Err(cannot_stay(&secured.table).hint(secured.ways_out(self)));
        }
        match Followed::of_base(self)?.iter().find(|followed| followed.source_id == source_id) {
            None => Ok(()),
            Some(followed) => Err(cannot_stay(&followed.location).hint(
                "Detach it with delete_documents => true, or publish all rows first: the owner of the table can call kb_attach \
                 again with row_security => 'ignore'.",
            )),
        }
    }

    /// A warning that names the roles which read the tables of a base that is closed to them.
    pub fn warn_of_row_security(&self) -> Result<()> {
        if let Some(note) = self.closed_note()? {
            Error::not_ready(format!("knowledge base \"{}\" is {note}", self.name))
                .hint("Revoke their privileges with kb_revoke until the attached table is attached again or detached.")
                .warn("row security of the table does not apply to these tables");
        }
        Ok(())
    }
}

/// What has row security of a table, those that it is a partition of, and its partitions.
pub fn with_row_security(table: pg_sys::Oid) -> Result<Vec<String>> {
    catalog::connect(|c| {
        let sql = include_str!("with_row_security.sql");
        c.query(sql, Access::Latest, Planning::Auto, &[Arg::new(table)], |row| row.require(1))
    })
}

/// Records which attached tables have row security, of one base or of all: for those that are dropped. Rows that others have
/// locked are left to the next call.
pub fn note_row_security(base: Option<Uuid>) -> Result<()> {
    let sql = with_tree(include_str!("note_row_security.sql"));
    catalog::connect(|c: &Connection| c.execute(&sql, &[Arg::new(base)]))?;
    Ok(())
}
