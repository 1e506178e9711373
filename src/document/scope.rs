//! Which knowledge bases a call covers, and in which of them a document is.

use kb_rag_core::spread::Circle;
use pgrx::Uuid;

use super::spread;
use crate::base::{self, Extent, KnowledgeBase, Reach, Unnamed};
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg};
use crate::search;

/// Runs `work` over the base of that name, or over all of the caller's circle.
pub fn over<T>(knowledge_base: Option<&str>, work: impl FnOnce(&[KnowledgeBase]) -> Result<T>) -> Result<T> {
    let Some(name) = knowledge_base else {
        cluster::require_all_here()?;
        return over_own(|bases, circle| {
            tell_of_circle(&circle);
            work(bases)
        });
    };
    base::naming_base(name, "read", || {
        base::pinned(|| Ok(vec![base::by_name(name, Access::Read)?]), |bases| work(&bases))
    })
}

/// Runs `work` over all bases of this server that are of the caller's circle. It also gets what is told of the others.
pub fn over_own<T>(work: impl FnOnce(&[KnowledgeBase], Circle) -> Result<T>) -> Result<T> {
    base::unnamed(
        Extent::Searched,
        |_| Ok(()),
        |mut found| {
            found.warn();
            found.warn_of_locks();
            let circle = found.circle();
            work(&found.take_open(), circle)
        },
    )
}

/// Tells what a list that names no base does not cover.
pub fn tell_of_circle(circle: &Circle) {
    search::remark_of_circle(circle, "Name a knowledge base to see its documents.");
}

/// What is done with a document.
pub struct Purpose {
    pub access: Access,
    /// As the error about altered tables says it.
    pub verb: &'static str,
    /// Whether the caller may, in a base that it may read.
    pub check: fn(&KnowledgeBase) -> Result<()>,
}

/// Runs `work` on the base that has the document: the one of that name, or one of the caller's circle. None where there is no
/// such document, or the caller may not see it. 22023 where several bases have it.
pub fn with_base_of<T>(
    document: Uuid,
    knowledge_base: Option<&str>,
    purpose: &Purpose,
    work: impl FnOnce(Option<&KnowledgeBase>) -> Result<T>,
) -> Result<T> {
    let Some(name) = knowledge_base else {
        cluster::here_or_over(cluster::require_all_here(), |groups| spread::require_here(document, groups))?;
        return base::unnamed(
            Extent::Searched,
            |_| Ok(()),
            |found| {
                let holders = holders(found.with_reach(Reach::Open), document, purpose.access)?;
                match holders.as_slice() {
                    [] => {
                        notify(&found);
                        work(None)
                    }
                    [base] => {
                        (purpose.check)(base)?;
                        base::naming_base(&base.name, purpose.verb, || work(Some(base)))
                    }
                    _ => Err(is_in(
                        document,
                        &holders.iter().map(|base| base.name.as_str()).collect::<Vec<_>>(),
                    )),
                }
            },
        );
    };
    base::naming_base(name, purpose.verb, || {
        base::pinned(
            || Ok(vec![base::by_name(name, purpose.access)?]),
            |bases| {
                for base in &bases {
                    base.require_read()?;
                    (purpose.check)(base)?;
                }
                let holders = holders(bases.iter(), document, purpose.access)?;
                work(holders.first().copied())
            },
        )
    })
}

/// The names of the bases of this server that have the document. `notifies` says whether the caller is told of those that are left out.
pub fn holders_here(document: Uuid, notifies: bool) -> Result<Vec<String>> {
    base::unnamed(
        Extent::Searched,
        |_| Ok(()),
        |found| {
            if notifies {
                notify(&found);
            }
            let holders = holders(found.with_reach(Reach::Open), document, Access::Read)?;
            Ok(holders.into_iter().map(|base| base.name.clone()).collect())
        },
    )
}

/// Tells the caller of bases that are left out.
fn notify(found: &Unnamed) {
    found.warn();
    found.warn_of_locks();
    base::notify_of_outside(&found.outside(), "Name a knowledge base to look there.");
}

/// 22023: several bases have the document.
pub fn is_in(document: Uuid, bases: &[&str]) -> Error {
    let hint = bases
        .first()
        .map(|name| format!("Name one of them: knowledge_base => {}.", spi::quote_literal(name)));
    Error::invalid(format!("document \"{document}\" is in {}", base::named_by(bases)))
        .hint(hint.unwrap_or_default())
}

/// Those of the bases that have the document, as the caller sees it.
fn holders<'a>(
    bases: impl Iterator<Item = &'a KnowledgeBase>,
    document: Uuid,
    access: Access,
) -> Result<Vec<&'a KnowledgeBase>> {
    let mut holders = Vec::new();
    for base in bases {
        let sql = spi::render(include_str!("there.sql"), &[("schema", &base.quoted_schema())]);
        let found = base.read(|| {
            spi::connect(|c| c.query_one(&sql, access, &[Arg::new(document)], |row| row.require::<Uuid>(1)))
        })?;
        if found.is_some() {
            holders.push(base);
        }
    }
    Ok(holders)
}
