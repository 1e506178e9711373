//! Providers, models and work of bases that are paused.

use std::time::Duration;

use kb_rag_core::model_name::ModelName;
use pgrx::Uuid;

use super::Kind;
use crate::catalog;
use crate::choice::Choice;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg, Planning, Row};

/// What is paused: the columns provider, model, knowledge_base_id and kind of kb_rag.pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A provider by its name.
    Provider(String),
    /// A model, as provider/model.
    Model(String),
    /// All work of a base.
    Base(Uuid),
    /// One kind of work of a base.
    Work(Uuid, Kind),
    /// The counting of a base.
    Statistics(Uuid),
}

/// The kind of [`Target::Statistics`].
const STATISTICS: &str = "statistics";

impl Target {
    /// From four columns of a row. None for a row that kb_rag has not written.
    fn from_row(row: &Row) -> Result<Option<Target>> {
        let kind = row.get::<String>(4)?;
        Ok(match (row.get(1)?, row.get(2)?, row.get(3)?) {
            (Some(provider), _, _) => Some(Target::Provider(provider)),
            (_, Some(model), _) => Some(Target::Model(model)),
            (_, _, Some(base)) => match kind.as_deref() {
                None => Some(Target::Base(base)),
                Some(STATISTICS) => Some(Target::Statistics(base)),
                Some(kind) => Target::of_work(base, kind),
            },
            (None, None, None) => None,
        })
    }

    /// None for an unknown kind of work, with a warning: there is no such work that the pause could stop.
    fn of_work(base: Uuid, kind: &str) -> Option<Target> {
        match Kind::from_name(kind) {
            Ok(kind) => Some(Target::Work(base, kind)),
            Err(error) => {
                error.warn_once("its pause is ignored");
                None
            }
        }
    }

    fn args(&self) -> Vec<Arg> {
        let (provider, model, base, kind) = match self {
            Target::Provider(provider) => (Some(provider.as_str()), None, None, None),
            Target::Model(model) => (None, Some(model.as_str()), None, None),
            Target::Base(base) => (None, None, Some(*base), None),
            Target::Work(base, kind) => (None, None, Some(*base), Some(kind.name())),
            Target::Statistics(base) => (None, None, Some(*base), Some(STATISTICS)),
        };
        vec![Arg::new(provider), Arg::new(model), Arg::new(base), Arg::new(kind)]
    }
}

/// Why a provider is not called, or work of a base is not done, and for how long.
#[derive(Clone, Debug)]
pub struct Pause {
    pub target: Target,
    pub seconds: f64,
    pub reason: String,
}

impl Pause {
    /// The provider or the model that this pause stops, if a model is not called because of it.
    pub fn of_model(&self, model: &ModelName) -> Option<&str> {
        match &self.target {
            Target::Provider(name) => (model.provider() == name).then_some(name),
            Target::Model(name) => (name == model.as_str()).then_some(name),
            _ => None,
        }
    }

    /// The kind of work that this pause stops, if it is for the base.
    pub fn of_base(&self, base: Uuid) -> Option<&str> {
        match &self.target {
            Target::Base(paused) if *paused == base => Some("all work"),
            Target::Work(paused, kind) if *paused == base => Some(kind.name()),
            Target::Statistics(paused) if *paused == base => Some(STATISTICS),
            _ => None,
        }
    }
}

/// Pauses a kind of work of a base that could not begin. `after` as for [`pause`].
pub fn pause_work(base: Uuid, kind: Kind, reason: &str, after: impl FnOnce(u32) -> Duration) -> Result<()> {
    pause(&Target::Work(base, kind), reason, false, after)
}

/// Pauses a kind of work of a base because the server cannot write at present. One chunk is sent first when the pause ends,
/// since its vector could be lost again. `after` as for [`pause`].
pub fn pause_for_server(
    base: Uuid,
    kind: Kind,
    reason: &str,
    after: impl FnOnce(u32) -> Duration,
) -> Result<()> {
    pause(&Target::Work(base, kind), reason, matches!(kind, Kind::Embed | Kind::Change), after)
}

/// Pauses all work of a base whose owner's code exceeded its time. Until some of it succeeds, at most one worker works
/// for such bases.
pub fn pause_exceeded(base: Uuid, reason: &str, after: impl FnOnce(u32) -> Duration) -> Result<()> {
    pause(&Target::Base(base), reason, false, after)?;
    catalog::connect(|c| c.execute(include_str!("note_exceeded.sql"), &[Arg::new(base)]))?;
    Ok(())
}

/// Forgets that all work of a base was paused: some of it has succeeded.
pub fn resume_base(base: Uuid) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("resume_base.sql"), &[Arg::new(base)]))?;
    Ok(())
}

/// Forgets that a kind of work of a base was paused.
pub fn resume(base: Uuid, kind: Kind) -> Result<()> {
    let args = [Arg::new(base), Arg::new(kind.name())];
    catalog::connect(|c| c.execute(include_str!("resume.sql"), &args))?;
    Ok(())
}

/// Pauses a target. `after` gets the number of failures in a row, including this one. `tries_one_chunk`: until work succeeds,
/// one job at a time is claimed to embed, for one chunk.
pub fn pause(
    target: &Target,
    reason: &str,
    tries_one_chunk: bool,
    after: impl FnOnce(u32) -> Duration,
) -> Result<()> {
    catalog::connect(|c| {
        let mut args = target.args();
        args.extend([Arg::new(reason), Arg::new(tries_one_chunk)]);
        let failures = c.query_one(include_str!("pause_failures.sql"), Access::Write, &args, |row| {
            row.require::<i32>(1)
        })?;
        let Some(failures) = failures else { return Ok(0) };
        let mut args = target.args();
        args.push(Arg::new(after(failures.unsigned_abs()).as_secs_f64()));
        c.execute(include_str!("pause_until.sql"), &args)
    })?;
    Ok(())
}

/// The pauses in force.
pub fn pauses() -> Result<Vec<Pause>> {
    let pauses = catalog::connect(|c| {
        c.query(include_str!("pauses.sql"), Access::Write, Planning::Auto, &[], |row| {
            let (seconds, reason) = (row.require(5)?, row.require(6)?);
            Ok(Target::from_row(row)?.map(|target| Pause { target, seconds, reason }))
        })
    })?;
    Ok(pauses.into_iter().flatten().collect())
}

/// Forgets the failures of a model and its provider, which has just responded, and of this work of a base.
pub fn succeeded(model: &ModelName, work: Option<(Uuid, Kind)>) -> Result<()> {
    let (base, kind) = work.unzip();
    let kind = kind.map(Kind::name);
    let args = [Arg::new(model.as_str()), Arg::new(model.provider()), Arg::new(base), Arg::new(kind)];
    catalog::connect(|c| c.execute(include_str!("pause_over.sql"), &args))?;
    Ok(())
}

/// Ends the pauses of a provider and all its models, and those of bases that its answers led to. Jobs become due that waited
/// because of such answers, or because the provider was missing, or not granted to the base's owner.
pub fn end_pauses_of_provider(name: &str) -> Result<()> {
    catalog::connect(|c| {
        c.execute(include_str!("end_pauses_of_provider.sql"), &[Arg::new(name)])?;
        c.execute(&catalog::with_summaries(include_str!("make_due.sql")), &[Arg::new(name)])
    })?;
    super::at_commit();
    Ok(())
}

/// Ends the pauses of all work of a base.
pub fn end_pauses_of_base(base: Uuid) -> Result<()> {
    catalog::connect(|c| c.execute(include_str!("end_pauses_of_base.sql"), &[Arg::new(base)]))?;
    super::at_commit();
    Ok(())
}
