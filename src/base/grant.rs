//! Who may do what with a base. The rights are PostgreSQL's own, on the base's schema and tables.

use pgrx::pg_sys;

use super::KnowledgeBase;
use crate::error::{Error, Result};
use crate::role;

impl KnowledgeBase {
    /// 42501 unless the caller administers the base: he has the rights of its owner, as superusers do, or CREATE on its
    /// schema, as kb_grant gives it. What he may do then is done as the owner.
    pub fn require_admin(&self) -> Result<()> {
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        if self.is_owned()? || role::may_create_in_schema(namespace) {
            return Ok(());
        }
        Err(Error::denied(format!("must be an administrator of knowledge base \"{}\"", self.name))
            .hint("An administrator grants that with kb_grant."))
    }

    /// 42501 unless the caller has the rights of the base's owner.
    pub(super) fn require_owner(&self) -> Result<()> {
        if self.is_owned()? {
            return Ok(());
        }
        Err(Error::denied(format!("must be owner of knowledge base \"{}\"", self.name)))
    }

    fn is_owned(&self) -> Result<bool> {
        let owner = role::table_owner(self.table(c"document")?)?;
        Ok(role::has_rights_of(owner))
    }
}
