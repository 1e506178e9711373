//! Reading a base with the caller's privileges, without running malicious code of its owner as the caller.

use pgrx::pg_sys;

use crate::base::{Followed, KnowledgeBase};
use crate::error::{Error, Result};
use crate::lock::gate;
use crate::postgres::guc;
use crate::postgres::privilege;
use crate::postgres::relation;
use crate::postgres::role;

/// The tables a search reads.
pub(in crate::base) const TABLES: [&std::ffi::CStr; 3] = [c"document", c"chunk", c"embedding"];

/// Whether code of a role may run as the current role.
fn is_trusted(owner: pg_sys::Oid) -> bool {
    role::is_superuser(owner) || role::has_privileges_of(owner)
}

impl KnowledgeBase {
    /// Runs statements that read the base. 42501 unless the caller has USAGE on the schema and SELECT on the tables; 55000 if row
    /// security of an attached table applies to the caller. If no
    /// row security applies to the caller, they then run as the tables' owner, which sees the same rows: a function that the
    /// owner put into an index or a view runs with the owner's privileges, even when a superuser searches. If row security
    /// applies, they run as the caller.
    pub fn read<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.lock()?;
        self.require_read()?;
        self.require_open()?;
        if self.is_row_secured()? {
            return guc::with_settings(&[], work);
        }
        self.as_owner(work)
    }

    /// Runs statements as the owner, regardless of row security: they must tell the caller nothing about the documents. The
    /// caller needs the same privileges as for [`Self::read`].
    pub fn read_as_owner<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.lock()?;
        self.require_read()?;
        self.require_open()?;
        self.as_owner(work)
    }

    /// Whether row security applies to the current role. All that the role is told must then come only from rows that it may
    /// see, numbers too.
    pub fn is_row_secured(&self) -> Result<bool> {
        for table in TABLES {
            if privilege::is_row_secured(self.table(table)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a search that does not name the base may read it. Policies, and any code in them, run as the caller: a search
    /// that names no base must not run code of an untrusted role. Those of attached tables are followed.
    pub(in crate::base) fn is_safe_unnamed(&self) -> Result<bool> {
        if !self.is_row_secured()? {
            return Ok(true);
        }
        Ok(self.is_owner_trusted()?
            && Followed::of_base(self)?.iter().filter_map(Followed::owner).all(is_trusted))
    }

    /// Whether the caller trusts the base's owner.
    pub(in crate::base) fn is_owner_trusted(&self) -> Result<bool> {
        Ok(is_trusted(self.owner_role()?))
    }

    /// Whether [`Self::read`] would run.
    pub fn is_readable(&self) -> Result<bool> {
        self.lock()?;
        Ok(self.require_read().is_ok() && self.closed()?.is_none())
    }

    /// 42501 unless the caller may read the base.
    pub fn require_read(&self) -> Result<()> {
        if self.may_read(self.namespace.unwrap_or(pg_sys::InvalidOid)) {
            return Ok(());
        }
        Err(Error::denied(format!("permission denied to read knowledge base \"{}\"", self.name))
            .hint("An administrator of the knowledge base can grant this privilege with kb_grant."))
    }

    /// Whether the caller has USAGE on the schema and SELECT on the tables.
    pub(in crate::base) fn may_read(&self, namespace: pg_sys::Oid) -> bool {
        privilege::may_use_schema(namespace)
            && TABLES.iter().all(|name| self.table(name).is_ok_and(privilege::may_select))
    }

    /// Locks the tables whose policies a search runs: none can come until the transaction ends.
    pub(in crate::base) fn lock_policies(&self) -> Result<()> {
        self.lock()?;
        for name in TABLES {
            relation::lock(self.table(name)?, pg_sys::AccessShareLock);
        }
        self.open_to.set(None);
        Ok(())
    }

    /// Locks `document` first, as all sessions do, once its gate is open. 42704 if the base was dropped meanwhile.
    pub fn lock(&self) -> Result<()> {
        let document = self.table(c"document")?;
        gate::pass(self.id, document);
        relation::lock(document, pg_sys::AccessShareLock);
        if self.table(c"document")? == document { Ok(()) } else { Err(self.lost("schema")) }
    }
}
