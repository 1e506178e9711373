//! Which knowledge bases a search covers.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;

use kb_rag_core::model_name::EmbeddingSpace;
use kb_rag_core::plural::counted;
use kb_rag_core::spread::Circle;
use pgrx::Uuid;

use crate::base::{self, Extent, KnowledgeBase, MAX_BASES, Reach};
use crate::cluster;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::spi::Access;
use crate::postgres::test_point::test_limit;
use crate::search::{Request, remark};

/// Runs `work` over the bases in scope of a request: those of its names, or as [`over`] does.
pub fn of_request<T>(request: &Request, work: impl FnOnce(&[KnowledgeBase]) -> Result<T>) -> Result<T> {
    match &request.knowledge_bases {
        Some(names) => of_names(names, work),
        None => over(request.knowledge_base, request.agent, work),
    }
}

/// Runs `work` over the bases in scope, as [`base::pinned`] does: the base of that name; or exactly those attached to the
/// agent, under its filters; or, with both, that base if it is attached; or, with neither, all of the caller's circle.
pub fn over<T>(
    knowledge_base: Option<&str>,
    agent: Option<Uuid>,
    work: impl FnOnce(&[KnowledgeBase]) -> Result<T>,
) -> Result<T> {
    match (knowledge_base, agent) {
        (Some(name), None) => {
            base::pinned(|| Ok(vec![base::by_name(name, Access::Read)?]), |bases| work(&bases))
        }
        (None, Some(agent)) => of_agent(agent, |bases, circle| {
            if !circle.has_bases {
                remark::of_agent(agent)?;
            }
            if circle.is_idle {
                remark::of_idle_agent(agent);
            }
            work(bases)
        }),
        (None, None) => of_circle(cluster::require_all_here, |bases, circle| {
            tell_of_circle(&circle);
            work(bases)
        }),
        (Some(name), Some(agent)) => {
            let attached = || {
                let bases = vec![base::by_name_for_agent(name, agent)?];
                if is_used(agent, &bases)? {
                    return Ok(bases);
                }
                remark::of_idle_agent(agent);
                Ok(Vec::new())
            };
            base::pinned(attached, |bases| work(&bases))
        }
    }
}

/// Runs `work` over those bases of this server that are attached to an agent, none if it does not use them.
pub fn of_agent<T>(agent: Uuid, work: impl FnOnce(&[KnowledgeBase], Circle) -> Result<T>) -> Result<T> {
    let circle = RefCell::new(Circle::default());
    let attached = || {
        let bases = base::of_agent(agent)?;
        require_few(bases.len())?;
        let is_used = is_used(agent, &bases)?;
        circle.replace(Circle { has_bases: !bases.is_empty(), is_idle: !is_used, outside: Vec::new() });
        Ok(if is_used { bases } else { Vec::new() })
    };
    let safe = |bases| base::safe_for_agent(bases, agent);
    base::pinned_unnamed(attached, safe, |bases| work(&bases, circle.take()))
}

/// Tells what a search that names no base does not cover.
pub fn tell_of_circle(circle: &Circle) {
    remark::of_circle(circle, "Name a knowledge base to search it.");
}

/// Runs `work` over all bases of the caller's circle. `check` comes before the bases are locked.
fn of_circle<T>(
    check: impl Fn() -> Result<()>,
    work: impl FnOnce(&[KnowledgeBase], Circle) -> Result<T>,
) -> Result<T> {
    base::unnamed(
        Extent::Searched,
        |found| {
            check()?;
            require_few(found.with_reach(Reach::Open).count())
        },
        |mut found| {
            found.warn();
            found.warn_of_locks();
            let circle = found.circle();
            work(&found.take_open(), circle)
        },
    )
}

/// The same over those of this server, which are a part of all that a search covers.
pub fn of_own_circle<T>(work: impl FnOnce(&[KnowledgeBase], Circle) -> Result<T>) -> Result<T> {
    of_circle(|| Ok(()), work)
}

/// Runs `work` over the bases of these names, in this order, each once.
pub fn of_names<T>(names: &[String], work: impl FnOnce(&[KnowledgeBase]) -> Result<T>) -> Result<T> {
    base::pinned(|| by_names(names), |bases| work(&bases))
}

/// Whether the agent uses its bases. If not, 42501, as otherwise, where the caller may not read one.
fn is_used(agent: Uuid, bases: &[KnowledgeBase]) -> Result<bool> {
    let is_used = base::uses_knowledge_base(agent)?;
    if !is_used {
        bases.iter().try_for_each(KnowledgeBase::require_read)?;
    }
    Ok(is_used)
}

/// The bases of these names, in this order, each once.
fn by_names(names: &[String]) -> Result<Vec<KnowledgeBase>> {
    let distinct = distinct(names)?;
    cluster::require_names_here(&distinct)?;
    distinct.into_iter().map(|name| base::by_name(name, Access::Read)).collect()
}

/// The names, each once. 54000 for more than one search covers.
pub fn distinct(names: &[String]) -> Result<Vec<&String>> {
    let mut seen = HashSet::new();
    let distinct: Vec<&String> = names.iter().filter(|name| seen.insert(name.as_str())).collect();
    require_few(distinct.len())?;
    Ok(distinct)
}

/// 54000 for more bases than one search covers.
pub fn require_few(bases: usize) -> Result<()> {
    let max = test_limit("max_bases", MAX_BASES);
    if bases <= max {
        return Ok(());
    }
    Err(Error::limit(format!("the search covers {bases} knowledge bases")).hint(format!(
        "At most {max} are searched at once; name one, or attach those that matter to an agent with kb_attach_agent."
    )))
}

/// Leaves out, with a warning, bases of a search without a scope whose provider belongs to an untrusted role: that role would
/// see every query.
pub fn without_untrusted<'a>(
    request: &Request,
    bases: &'a [KnowledgeBase],
) -> Result<Cow<'a, [KnowledgeBase]>> {
    if leaves_out_untrusted(request) { Ok(Cow::Owned(trusted(bases)?)) } else { Ok(Cow::Borrowed(bases)) }
}

/// Whether a search names no base, and its question is embedded.
pub fn leaves_out_untrusted(request: &Request) -> bool {
    !request.names_bases() && request.agent.is_none() && request.embeds_query()
}

/// The bases whose provider belongs to no untrusted role, with a warning about the others.
pub fn trusted(bases: &[KnowledgeBase]) -> Result<Vec<KnowledgeBase>> {
    let mut kept = Vec::new();
    for base in bases {
        match model::untrusted_owner(&base.settings.space.model)? {
            None => kept.push(base.clone()),
            Some(owner) => pgrx::warning!(
                "knowledge base \"{}\" is left out: the query would go to a provider that \"{owner}\" set up; name it to \
                 search it",
                base.name
            ),
        }
    }
    Ok(kept)
}

/// Similarities of different models are not comparable: 22023 that names both.
pub fn require_one_model(bases: &[KnowledgeBase]) -> Result<()> {
    require_one_space(bases.iter().map(|base| (base.name.as_str(), &base.settings.space)))
}

/// The same for the names and spaces of bases.
pub fn require_one_space<'a>(mut bases: impl Iterator<Item = (&'a str, &'a EmbeddingSpace)>) -> Result<()> {
    let Some((first, space)) = bases.next() else {
        return Ok(());
    };
    let of = |EmbeddingSpace { model, dimensions }: &EmbeddingSpace| {
        format!("\"{model}\" ({})", counted(*dimensions, "dimension"))
    };
    match bases.find(|(_, other)| *other != space) {
        None => Ok(()),
        Some((other, of_other)) => Err(Error::invalid(format!(
            "knowledge bases \"{first}\" and \"{other}\" have different models: {} and {}",
            of(space), of(of_other)
        ))
        .hint("Give the text of the query to kb_hybrid_search instead of a vector: it is embedded once per model.")),
    }
}
