//! The circle of the caller: the bases whose owners it has a relation to. A statement that names no base neither waits for
//! locks of other owners nor plans queries over their tables, because the planner evaluates expressions of indexes.

use kb_rag_core::spread::Circle;
use pgrx::pg_sys;

use crate::base::privileges::read::TABLES;
use crate::base::{KnowledgeBase, readable, shape};
use crate::error::{Error, Result};
use crate::lock::{Extent, ShortWait};
use crate::postgres::privilege;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::vector::Pgvector;

/// At most this many of the bases left out are named.
const MAX_NAMES: usize = 3;

impl KnowledgeBase {
    /// Whether its owner is a superuser or a role that the caller is a member of, or the base was granted by name to such a
    /// role. The caller's own superuser status and grants to PUBLIC do not count. Reads only the catalogs.
    pub fn is_in_circle(&self) -> Result<bool> {
        let owner = self.owner_role()?;
        Ok(role::is_superuser(owner)
            || role::is_member(role::current_role(), owner)
            || privilege::is_usage_granted_by_name(self.namespace.unwrap_or(pg_sys::InvalidOid))
            || TABLES.iter().any(|name| self.table(name).is_ok_and(privilege::is_select_granted_by_name)))
    }
}

/// How far a statement that does not name a base may go with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It may be read: its tables are locked against changes.
    Open,
    /// Another transaction holds a lock on one of its tables.
    Locked,
    /// It is outside of the caller's circle: its tables are not touched.
    Outside,
}

/// A base that the caller may read.
pub struct Covered {
    pub base: KnowledgeBase,
    pub reach: Reach,
}

/// The bases that a statement covers if it names none.
pub struct Unnamed {
    /// Ordered by name.
    pub covered: Vec<Covered>,
    /// Those whose tables are missing or altered.
    unsound: Vec<KnowledgeBase>,
    /// Bases of the circle with row security policies of an owner that the caller need not trust.
    with_policies: Vec<KnowledgeBase>,
    /// Why others are closed to the caller.
    closed: Vec<Error>,
}

impl Unnamed {
    fn find() -> Result<Unnamed> {
        let mut found = Unnamed {
            covered: Vec::new(),
            unsound: Vec::new(),
            with_policies: Vec::new(),
            closed: Vec::new(),
        };
        let bases = readable()?;
        if bases.is_empty() {
            return Ok(found);
        }
        let pgvector = Pgvector::find()?;
        for base in bases {
            found.add(base, &pgvector)?;
        }
        Ok(found)
    }

    fn add(&mut self, base: KnowledgeBase, pgvector: &Pgvector) -> Result<()> {
        if !base.namespace.is_some_and(|namespace| shape::is_sound(namespace, pgvector)) {
            self.unsound.push(base);
        } else if let Some(closed) = base.closed()? {
            self.closed.push(closed);
        } else if !base.is_in_circle()? {
            self.covered.push(Covered { base, reach: Reach::Outside });
        } else if base.is_safe_unnamed()? {
            self.covered.push(Covered { base, reach: Reach::Open });
        } else {
            self.with_policies.push(base);
        }
        Ok(())
    }

    /// Locks the open bases, and marks those that another transaction has locked.
    fn lock(&mut self, extent: Extent, wait: &ShortWait) -> Result<()> {
        if self.with_reach(Reach::Open).next().is_none() {
            return Ok(());
        }
        let pgvector = Pgvector::find()?;
        for covered in std::mem::take(&mut self.covered) {
            if covered.reach != Reach::Open {
                self.covered.push(covered);
            } else if !wait.lock(&covered.base, extent)? {
                self.covered.push(Covered { reach: Reach::Locked, ..covered });
            } else if covered.base.namespace.is_some_and(|namespace| covered.base.may_read(namespace)) {
                // Its tables may have been altered before they were locked.
                self.add(covered.base, &pgvector)?;
            }
        }
        Ok(())
    }

    /// Whether there is no base that the caller may read.
    pub fn is_empty(&self) -> bool {
        self.covered.is_empty()
            && self.unsound.is_empty()
            && self.with_policies.is_empty()
            && self.closed.is_empty()
    }

    /// The names of the bases that are left out because they are outside of the caller's circle.
    pub fn outside(&self) -> Vec<String> {
        self.with_reach(Reach::Outside).map(|base| base.name.clone()).collect()
    }

    /// Tells another server about the bases that are not open.
    pub fn circle(&self) -> Circle {
        Circle { has_bases: !self.is_empty(), outside: self.outside(), is_idle: false }
    }

    /// The bases of one reach, ordered by name.
    pub fn with_reach(&self, reach: Reach) -> impl Iterator<Item = &KnowledgeBase> {
        self.covered.iter().filter(move |covered| covered.reach == reach).map(|covered| &covered.base)
    }

    /// Removes and returns the bases that may be read.
    pub fn take_open(&mut self) -> Vec<KnowledgeBase> {
        let (open, rest) = std::mem::take(&mut self.covered)
            .into_iter()
            .partition::<Vec<_>, _>(|covered| covered.reach == Reach::Open);
        self.covered = rest;
        open.into_iter().map(|covered| covered.base).collect()
    }

    /// Warns of bases that are left out because of their tables, of policies, or of row security of an attached table.
    pub fn warn(&self) {
        for base in &self.unsound {
            base.warn_of_altered_tables();
        }
        for base in &self.with_policies {
            base.warn_of_policies();
        }
        for closed in &self.closed {
            closed.clone().warn("it is left out");
        }
    }

    /// Warns of bases that are left out because of a lock.
    pub fn warn_of_locks(&self) {
        for base in self.with_reach(Reach::Locked) {
            pgrx::warning!(
                "knowledge base \"{}\" is left out: another transaction holds a lock on its tables",
                base.name
            );
        }
    }
}

/// The bases that a statement covers if it names none. Their tables are not touched.
pub fn circle() -> Result<Unnamed> {
    Unnamed::find()
}

/// The bases that somebody else may name for the caller, such as a chat model: no row security policies of an untrusted owner
/// run when they are read.
pub fn safe_to_name() -> Result<Vec<KnowledgeBase>> {
    let mut safe = Vec::new();
    for base in readable()?.into_iter().filter(KnowledgeBase::has_schema) {
        if base.closed()?.is_none() && base.is_safe_unnamed()? {
            safe.push(base);
        }
    }
    Ok(safe)
}

/// How many bases there are, and the names of the first of them, for a message.
fn names<'a>(names: impl Iterator<Item = &'a str>) -> (usize, String) {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (names.len(), shown + &more)
}

/// Some bases in a message: `knowledge base "a"`, `knowledge bases "a", "b"`.
pub fn named<'a>(bases: impl Iterator<Item = &'a KnowledgeBase>) -> String {
    named_by(&bases.map(|base| base.name.as_str()).collect::<Vec<_>>())
}

/// The same of bases of which only the names are known.
pub fn named_by(bases: &[&str]) -> String {
    match names(bases.iter().copied()) {
        (1, name) => format!("knowledge base {name}"),
        (_, names) => format!("knowledge bases {names}"),
    }
}

/// Notifies of bases that are left out because they are outside of the caller's circle.
pub fn notify_of_outside(bases: &[String], hint: &str) {
    let (count, names) = names(bases.iter().map(String::as_str));
    let (message, detail) = match count {
        0 => return,
        1 => (
            format!("1 knowledge base of another role is left out: {names}"),
            "It is readable through a grant to PUBLIC or as superuser only, and the current role is not a member of its owner.",
        ),
        count => (
            format!("{count} knowledge bases of other roles are left out: {names}"),
            "They are readable through grants to PUBLIC or as superuser only, and the current role is not a member of their owners.",
        ),
    };
    Error::remark(message).detail(detail).hint(hint).notify();
}

/// Runs `work` over the bases that the caller may read, none of which it named. Those of its circle are locked against
/// changes until the transaction ends; waiting for these locks takes at most a second in all. `check` sees the bases before
/// they are locked. As with [`crate::base::pinned`], the latest snapshot is used if a model was changed meanwhile.
pub fn unnamed<T>(
    extent: Extent,
    check: impl Fn(&Unnamed) -> Result<()>,
    work: impl FnOnce(Unnamed) -> Result<T>,
) -> Result<T> {
    let wait = ShortWait::begin();
    let find = || -> Result<Unnamed> {
        let mut found = Unnamed::find()?;
        check(&found)?;
        found.lock(extent, &wait)?;
        Ok(found)
    };
    let found = find()?;
    for base in found.with_reach(Reach::Open) {
        if base.is_newer_than_snapshot()? {
            return snapshot::with_latest(|| work(find()?));
        }
    }
    work(found)
}

/// The same for a view of something that few bases have: bases without any of it are not mentioned.
pub fn shown<T>(
    has_any: impl Fn(&KnowledgeBase) -> Result<bool>,
    work: impl FnOnce(Vec<KnowledgeBase>) -> Result<T>,
) -> Result<T> {
    unnamed(
        Extent::Whole,
        |_| Ok(()),
        |mut found| {
            found.warn();
            let bases = found.take_open();
            let mut rest = Vec::new();
            for covered in found.covered {
                if has_any(&covered.base)? {
                    rest.push(covered);
                }
            }
            found.covered = rest;
            found.warn_of_locks();
            let hint = "SET ROLE to the owner of a knowledge base to see its rows.";
            notify_of_outside(&found.outside(), hint);
            work(bases)
        },
    )
}
