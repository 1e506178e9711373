//! Finding bases in the catalog.

pub mod circle;
pub mod locked;
pub mod lost;
pub mod near;

use std::collections::HashMap;

use pgrx::Uuid;

use super::{KnowledgeBase, Settings, are_lexemes_recorded, shape};
use crate::catalog;
use crate::cluster;
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::vector::Pgvector;
use near::unknown;

/// The bases for which `condition` holds with its arguments, ordered by name.
pub(super) fn select(
    condition: &str,
    access: Access,
    args: impl FnOnce() -> Vec<Arg>,
) -> Result<Vec<KnowledgeBase>> {
    select_with("NULL::jsonb", condition, access, args)
}

/// The same with the filter of an agent, which is the first argument.
fn select_for_agent(condition: &str, args: impl FnOnce() -> Vec<Arg>) -> Result<Vec<KnowledgeBase>> {
    select_with(include_str!("agent_filter.sql"), condition, Access::Read, args)
}

fn select_with(
    agent_filter: &str,
    condition: &str,
    access: Access,
    args: impl FnOnce() -> Vec<Arg>,
) -> Result<Vec<KnowledgeBase>> {
    // The catalog of kb_rag 0.3 lacks the column.
    let has_types = catalog::has_column(c"attached_table", c"key_types");
    let follows_rows = if has_types { include_str!("follows_rows.sql") } else { "false" };
    let next_cut = match are_lexemes_recorded() {
        true => include_str!("next_cut.sql"),
        false => include_str!("next_cut_of_0_3.sql"),
    };
    let sql = spi::render(
        include_str!("select.sql"),
        &[
            ("settings", Settings::columns()),
            ("next_cut", next_cut.trim()),
            ("agent_filter", agent_filter),
            ("follows_rows", follows_rows),
            ("condition", condition),
        ],
    );
    let mut bases = catalog::connect(|c| {
        c.query(&sql, access, spi::Planning::Generic, &args(), KnowledgeBase::from_row)
    })?;
    for base in &mut bases {
        base.locate()?;
    }
    Ok(bases)
}

/// The base of this name, whether or not its schema still exists; None when there is none.
pub(super) fn find(name: &str) -> Result<Option<KnowledgeBase>> {
    Ok(select("k.name = $1", Access::Write, || vec![Arg::new(name)])?.into_iter().next())
}

/// The base of this name. 42704 when there is none.
pub fn by_name(name: &str, access: Access) -> Result<KnowledgeBase> {
    named(select("k.name = $1", access, || vec![Arg::new(name)])?, name)
}

/// The same with the filter of an agent. 42501 where the base is not attached to it.
pub fn by_name_for_agent(name: &str, agent: Uuid) -> Result<KnowledgeBase> {
    let found = select_for_agent("k.name = $2", || vec![Arg::new(agent), Arg::new(name)])?;
    let base = named(found, name)?;
    // Only readers are told what is attached to it.
    base.require_read()?;
    if base.agent_filter.is_none() {
        return Err(Error::denied(format!("knowledge base \"{name}\" is not attached to agent {agent}"))
            .hint("Attach it with kb_attach_agent, or leave out agent_id."));
    }
    Ok(base)
}

/// The base that was found by its name.
fn named(found: Vec<KnowledgeBase>, name: &str) -> Result<KnowledgeBase> {
    found.into_iter().next().ok_or_else(|| unknown(name))?.require_sound()?.expect_schema()
}

/// The base of this id, which triggers have as their argument: as it is now, whatever snapshot the transaction keeps.
pub fn by_id(id: Uuid) -> Result<Option<KnowledgeBase>> {
    select_by_id(id)?.map(KnowledgeBase::require_sound).transpose()
}

/// Whether there is a base of this id, in whatever state.
pub fn exists(id: Uuid) -> Result<bool> {
    Ok(select_by_id(id)?.is_some())
}

fn select_by_id(id: Uuid) -> Result<Option<KnowledgeBase>> {
    Ok(select("k.id = $1", Access::Latest, || vec![Arg::new(id)])?.into_iter().next())
}

/// The bases of these ids, in this order, with the filters of an agent, for a further step of a search over several nodes. 55000 where
/// one was dropped or detached since the step before, or the caller may not read it: the request may be anybody's.
pub fn of_part(ids: &[Uuid], agent: Option<Uuid>) -> Result<Vec<KnowledgeBase>> {
    let found = match agent {
        None => select("k.id = ANY ($1)", Access::Read, || vec![Arg::new(ids.to_vec())])?,
        Some(agent) => select_for_agent("k.id = ANY ($2)", || vec![Arg::new(agent), Arg::new(ids.to_vec())])?,
    };
    let mut found: HashMap<Uuid, KnowledgeBase> = found
        .into_iter()
        .filter(|base| agent.is_none() || base.agent_filter.is_some())
        .filter(|base| base.namespace.is_some_and(|namespace| base.may_read(namespace)))
        .map(|base| (base.id, base))
        .collect();
    ids.iter().map(|id| found.remove(id).ok_or_else(changed)?.require_sound()?.expect_schema()).collect()
}

/// Whether any base asks for a log of its searches. The catalog of kb_rag 0.3 has no such setting.
pub fn any_logs_searches() -> Result<bool> {
    if !catalog::has_column(c"knowledge_base", c"log_searches") {
        return Ok(false);
    }
    let sql = include_str!("any_logs_searches.sql");
    let found = catalog::connect(|c| c.query_one(sql, Access::Read, &[], |row| row.require::<bool>(1)))?;
    Ok(found.unwrap_or_default())
}

/// Every base whose schema exists, even if the caller may not read it.
pub fn with_schema() -> Result<Vec<KnowledgeBase>> {
    let mut bases = select("true", Access::Read, Vec::new)?;
    bases.retain(KnowledgeBase::has_schema);
    Ok(bases)
}

/// The bases attached to an agent, with its filters; a base's own id is an agent that has just that base, without a filter.
/// None for an unknown agent.
pub fn of_agent(agent: Uuid) -> Result<Vec<KnowledgeBase>> {
    let bases = select_for_agent(include_str!("../of_agent.sql"), || vec![Arg::new(agent)])?;
    cluster::require_agent_here(agent, !bases.is_empty())?;
    if let Some(named) = bases.iter().find(|base| base.id == agent) {
        named.require_local()?;
    }
    safe_for_agent(leave_out_unsound(leave_out_damaged(bases))?, agent)
}

/// Policies run as the caller: those of an untrusted owner only if the caller names the base.
fn leave_out_unsafe(bases: Vec<KnowledgeBase>) -> Result<Vec<KnowledgeBase>> {
    let mut safe = Vec::new();
    for base in bases {
        if let Some(closed) = base.closed()? {
            closed.warn("it is left out");
        } else if base.is_safe_unnamed()? {
            safe.push(base);
        } else {
            base.warn_of_policies();
        }
    }
    Ok(safe)
}

/// 55000 where one of the bases, which the caller does not name, has got policies of an untrusted owner since the step before.
pub fn require_safe(bases: &[KnowledgeBase], agent: Option<Uuid>) -> Result<()> {
    for base in bases.iter().filter(|base| agent != Some(base.id)) {
        if base.closed()?.is_some() || !base.is_safe_unnamed()? {
            return Err(changed());
        }
    }
    Ok(())
}

/// 55000: what a search covers is not what it was when it began.
pub fn changed() -> Error {
    Error::not_ready("a knowledge base was dropped, detached or closed while it was searched")
        .hint("Repeat the search.")
}

/// [`pinned`] for bases that the caller does not name: `check` gets them once no policy can come any more, and gives those to work with.
pub fn pinned_unnamed<T>(
    resolve: impl Fn() -> Result<Vec<KnowledgeBase>>,
    check: impl Fn(Vec<KnowledgeBase>) -> Result<Vec<KnowledgeBase>>,
    work: impl FnOnce(Vec<KnowledgeBase>) -> Result<T>,
) -> Result<T> {
    let bases = resolve()?;
    bases.iter().try_for_each(KnowledgeBase::lock_policies)?;
    let bases = check(bases)?;
    for base in &bases {
        if base.is_newer_than_snapshot()? {
            return snapshot::with_latest(|| work(check(resolve()?)?));
        }
    }
    work(bases)
}

/// The bases attached to an agent, without those whose policies of an untrusted owner would run as the caller. One whose id was given is
/// named.
pub fn safe_for_agent(bases: Vec<KnowledgeBase>, agent: Uuid) -> Result<Vec<KnowledgeBase>> {
    // A base whose id is given is named; the others were attached by administrators.
    if bases.iter().any(|base| base.id == agent) { Ok(bases) } else { leave_out_unsafe(bases) }
}

/// Runs `work` over the bases that `resolve` gives, locked against changes until the transaction ends. If a base switched
/// models after our snapshot, the snapshot cannot see the new vectors; then everything is read with the latest snapshot.
pub fn pinned<T>(
    resolve: impl Fn() -> Result<Vec<KnowledgeBase>>,
    work: impl FnOnce(Vec<KnowledgeBase>) -> Result<T>,
) -> Result<T> {
    let bases = resolve()?;
    bases.iter().try_for_each(KnowledgeBase::lock)?;
    for base in &bases {
        if base.is_newer_than_snapshot()? {
            return snapshot::with_latest(|| work(resolve()?));
        }
    }
    work(bases)
}

/// Every base the caller may read. If its schema is gone, its owner and superusers still see it, to drop it.
pub fn readable() -> Result<Vec<KnowledgeBase>> {
    Ok(leave_out_damaged(visible(select("true", Access::Read, Vec::new)?)?))
}

pub(super) fn visible(mut bases: Vec<KnowledgeBase>) -> Result<Vec<KnowledgeBase>> {
    let caller = role::role_name(role::current_role())?;
    bases.retain(|base| match base.namespace {
        Some(namespace) => base.may_read(namespace),
        None => role::is_superuser(role::current_role()) || base.owner == caller,
    });
    Ok(bases)
}

/// An error of one base must not fail an operation over all of them.
fn leave_out_damaged(bases: Vec<KnowledgeBase>) -> Vec<KnowledgeBase> {
    let sound =
        |base: KnowledgeBase| base.require_sound().map_err(|error| error.warn("the base is left out")).ok();
    bases.into_iter().filter_map(sound).collect()
}

/// A base that is named may make its search fail; one that is not must not make a search over many fail.
fn leave_out_unsound(bases: Vec<KnowledgeBase>) -> Result<Vec<KnowledgeBase>> {
    if bases.is_empty() {
        return Ok(bases);
    }
    let pgvector = Pgvector::find()?;
    let (sound, rest): (Vec<_>, Vec<_>) = bases
        .into_iter()
        .partition(|base| base.namespace.is_some_and(|namespace| shape::is_sound(namespace, &pgvector)));
    for base in rest {
        base.warn_of_altered_tables();
    }
    Ok(sound)
}
