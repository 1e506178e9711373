//! Privileges on a base. They are PostgreSQL's own, on schemas, tables and functions: nothing about them is stored
//! elsewhere.

use pgrx::pg_sys;

use crate::base::expose::VIEW;
use crate::base::find::locked::held_for_admin;
use crate::base::{Followed, KnowledgeBase, by_name};
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::privilege;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};

/// What kb_grant grants. Each privilege includes those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Privilege {
    /// To search, and to read documents, chunks and vectors.
    Read,
    /// To write documents and sources.
    Write,
    /// To grant, attach agents, change settings and empty the base.
    Admin,
}

impl Choice for Privilege {
    const WHAT: &'static str = "privilege";
    const ALL: &'static [Privilege] = &[Privilege::Read, Privilege::Write, Privilege::Admin];

    fn name(self) -> &'static str {
        match self {
            Privilege::Read => "read",
            Privilege::Write => "write",
            Privilege::Admin => "admin",
        }
    }
}

/// 42501 for what only the owner of a base may do.
pub(in crate::base) fn not_owner(name: &str, owner: &str) -> Error {
    Error::denied(format!("must be owner of knowledge base \"{name}\""))
        .hint(format!("Ask role \"{owner}\", which owns it."))
}

impl KnowledgeBase {
    /// 42501 unless the caller administers the base: it has the privileges of its owner, as superusers do, or CREATE on its
    /// schema, which kb_grant grants. What an administrator may do is then done as the owner.
    pub fn require_admin(&self) -> Result<()> {
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        if self.is_owned()? || privilege::may_create_in_schema(namespace) {
            return Ok(());
        }
        Err(Error::denied(format!("must be an administrator of knowledge base \"{}\"", self.name))
            .hint("An administrator can grant this privilege with kb_grant."))
    }

    /// 42501 unless the caller has the privileges of the base's owner.
    pub fn require_owner(&self) -> Result<()> {
        if self.is_owned()? {
            return Ok(());
        }
        Err(not_owner(&self.name, &role::role_name(self.owner_role()?)?))
    }

    /// Warns of tables whose rows a role does not see for want of a privilege, where their row security is followed.
    fn warn_of_keys(&self, name: &str, grantee: &Grantee) -> Result<()> {
        let owner = self.owner_role()?;
        let is_exempt = |role| role::bypasses_row_security(role) || role::has_privileges(role, owner);
        if grantee.oid.is_some_and(is_exempt) {
            return Ok(());
        }
        Followed::of_base(self)?.iter().try_for_each(|followed| followed.warn_without_key(name))
    }

    /// Whether the caller has the privileges of its owner.
    pub(in crate::base) fn is_owned(&self) -> Result<bool> {
        Ok(role::has_privileges_of(self.owner_role()?))
    }
}

/// Grants a privilege on a base to a role or to everybody. The caller must administer the base.
pub fn grant(knowledge_base: &str, role: &str, privilege: Privilege) -> Result<()> {
    let to = Grantee::find(role)?;
    Rights::change(knowledge_base, |rights| {
        rights.on_schema(GRANT_ON_SCHEMA, "USAGE", &to)?;
        rights.on_tables(GRANT_ON_TABLES, "SELECT", is_read, &to)?;
        rights.on_functions(GRANT_ON_FUNCTIONS, &to)?;
        if privilege != Privilege::Read {
            rights.on_tables(GRANT_ON_TABLES, "INSERT, UPDATE, DELETE", is_written, &to)?;
        }
        if privilege == Privilege::Admin {
            rights.on_schema(GRANT_ON_SCHEMA, "CREATE", &to)?;
            rights.on_tables(GRANT_ON_TABLES, "TRUNCATE", is_emptied, &to)?;
            rights.on_tables(
                GRANT_ON_TABLES,
                "SELECT, INSERT, UPDATE, DELETE, TRUNCATE",
                is_administered,
                &to,
            )?;
        }
        if let Some(tables) = rights.unsecured()? {
            pgrx::warning!(
                "row security on table \"document\" of knowledge base \"{knowledge_base}\" applies to searches, but not to \
                 direct reads of these tables, which show all rows: {tables}"
            );
        }
        Ok(())
    })?;
    by_name(knowledge_base, Access::Write)?.warn_of_keys(role, &to)
}

/// Revokes a privilege on a base, and those that include it, from a role or from everybody. Warns if the role still has it
/// from elsewhere.
pub fn revoke(knowledge_base: &str, role: &str, privilege: Privilege) -> Result<()> {
    let from = Grantee::find(role)?;
    Rights::change(knowledge_base, |rights| {
        if from.oid == Some(rights.owner) {
            return Err(Error::invalid(format!(
                "role \"{role}\" owns knowledge base \"{knowledge_base}\" and has all privileges on it"
            ))
            .hint("Give the tables and the schema another owner first."));
        }
        match privilege {
            Privilege::Read => {
                rights.on_functions(REVOKE_ON_FUNCTIONS, &from)?;
                rights.on_tables(REVOKE_ON_TABLES, "ALL", |_| true, &from)?;
                rights.on_schema(REVOKE_ON_SCHEMA, "ALL", &from)?;
            }
            Privilege::Write => {
                rights.on_tables(REVOKE_ON_TABLES, "INSERT, UPDATE, DELETE, TRUNCATE", |_| true, &from)?;
                rights.on_tables(REVOKE_ON_TABLES, "ALL", is_administered, &from)?;
                rights.on_schema(REVOKE_ON_SCHEMA, "CREATE", &from)?;
            }
            Privilege::Admin => {
                rights.on_tables(REVOKE_ON_TABLES, "TRUNCATE", |_| true, &from)?;
                rights.on_tables(REVOKE_ON_TABLES, "ALL", is_administered, &from)?;
                rights.on_schema(REVOKE_ON_SCHEMA, "CREATE", &from)?;
            }
        }
        if rights.still_has(role, privilege)? {
            pgrx::warning!(
                "role \"{role}\" still has the privilege \"{}\" on knowledge base \"{knowledge_base}\": as a superuser, as \
                 a member of another role, or by a grant to PUBLIC or from another role",
                privilege.name()
            );
        }
        Ok(())
    })
}

const GRANT_ON_SCHEMA: &str = include_str!("grant_schema.sql");
const GRANT_ON_TABLES: &str = include_str!("grant_tables.sql");
const REVOKE_ON_SCHEMA: &str = include_str!("revoke_schema.sql");
const REVOKE_ON_TABLES: &str = include_str!("revoke_tables.sql");
const GRANT_ON_FUNCTIONS: &str = include_str!("grant_functions.sql");
const REVOKE_ON_FUNCTIONS: &str = include_str!("revoke_functions.sql");

/// Tables that readers read. The keyword index contains lexemes of all documents; searches read it as its owner.
fn is_read(table: &str) -> bool {
    !matches!(table, "keyword_segment" | "keyword_run") && !is_administered(table)
}

/// Tables that only administrators read and write: what people asked, and quotes of documents.
fn is_administered(table: &str) -> bool {
    matches!(table, "question" | "evaluation")
}

/// Tables that writers write; triggers keep the others, as their owner.
fn is_written(table: &str) -> bool {
    matches!(table, "source" | "document")
}

/// Tables that TRUNCATE … CASCADE of a source or document empties: PostgreSQL requires the privilege on each. It ignores row
/// security, so it is not for roles that only write.
fn is_emptied(table: &str) -> bool {
    is_read(table) && table != VIEW
}

/// The role that a privilege is granted to.
pub(in crate::base) struct Grantee {
    /// None for everybody.
    oid: Option<pg_sys::Oid>,
    /// As written in GRANT.
    pub(in crate::base) sql: String,
}

impl Grantee {
    /// 42704 for a role that does not exist; `public` stands for everybody.
    pub(in crate::base) fn find(name: &str) -> Result<Grantee> {
        if name == "public" {
            return Ok(Grantee { oid: None, sql: "PUBLIC".to_string() });
        }
        let oid = role::find(name).ok_or_else(|| {
            Error::not_found(format!("role \"{name}\" does not exist"))
                .hint("Give the name of a role, or public for everybody.")
        })?;
        Ok(Grantee { oid: Some(oid), sql: spi::quote_identifier(name) })
    }
}

/// The objects of a base whose privileges change, while no other session changes them.
struct Rights {
    schema: String,
    document: pg_sys::Oid,
    owner: pg_sys::Oid,
    tables: Vec<String>,
    /// Those that kb_expose made, qualified and quoted.
    views: Vec<String>,
    /// The same of functions, with the types of their arguments.
    functions: Vec<String>,
}

impl Rights {
    /// Runs `work` as the base's owner, once the caller is found to be an administrator.
    fn change(knowledge_base: &str, work: impl FnOnce(&Rights) -> Result<()>) -> Result<()> {
        // Concurrent GRANTs on the same object fail in PostgreSQL.
        let base = held_for_admin(knowledge_base)?;
        let document = base.table(c"document")?;
        let owner = lookup::table_owner(document)?;
        role::run_as(owner, || {
            let own_tables = include_str!("own_tables.sql");
            let tables: Vec<String> = spi::connect(|c| {
                let optional: Vec<String> = base
                    .optional_tables()
                    .into_iter()
                    .map(|table| table.to_string_lossy().into_owned())
                    .collect();
                let args = [Arg::new(document), Arg::new(optional)];
                c.query(own_tables, Access::Write, spi::Planning::Generic, &args, |row| row.require(1))
            })?;
            let views = base.exposed()?.into_iter().map(|view| view.name).collect();
            let functions =
                base.exposed_functions()?.into_iter().map(|function| function.signature).collect();
            work(&Rights { schema: base.quoted_schema(), document, owner, tables, views, functions })
        })
    }

    fn on_schema(&self, template: &str, privileges: &str, role: &Grantee) -> Result<()> {
        let values = [("privileges", privileges), ("schema", &self.schema), ("role", &role.sql)];
        spi::connect(|c| c.run(&spi::render(template, &values)))
    }

    fn on_tables(
        &self,
        template: &str,
        privileges: &str,
        which: impl Fn(&str) -> bool,
        role: &Grantee,
    ) -> Result<()> {
        let mut tables: Vec<String> = self
            .tables
            .iter()
            .filter(|table| which(table))
            .map(|table| format!("{}.{}", self.schema, spi::quote_identifier(table)))
            .collect();
        if which(VIEW) {
            tables.extend(self.views.iter().cloned());
        }
        if tables.is_empty() {
            return Ok(());
        }
        let values = [("privileges", privileges), ("tables", &tables.join(", ")), ("role", &role.sql)];
        spi::connect(|c| c.run(&spi::render(template, &values)))
    }

    fn on_functions(&self, template: &str, role: &Grantee) -> Result<()> {
        if self.functions.is_empty() {
            return Ok(());
        }
        let values = [("functions", self.functions.join(", ")), ("role", role.sql.clone())];
        let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
        spi::connect(|c| c.run(&spi::render(template, &values)))
    }

    /// The tables that show what row security on `document` hides.
    fn unsecured(&self) -> Result<Option<String>> {
        let read: Vec<String> = self.tables.iter().filter(|table| is_read(table)).cloned().collect();
        let args = || [Arg::new(self.document), Arg::new(read)];
        let found = spi::connect(|c| {
            c.query_one(include_str!("unsecured.sql"), Access::Write, &args(), |row| row.get::<String>(1))
        })?;
        Ok(found.flatten())
    }

    fn still_has(&self, role: &str, privilege: Privilege) -> Result<bool> {
        let args = || [Arg::new(role), Arg::new(self.document), Arg::new(privilege.name())];
        let found = spi::connect(|c| {
            c.query_one(include_str!("still_has.sql"), Access::Write, &args(), |row| row.require::<bool>(1))
        })?;
        Ok(found == Some(true))
    }
}
