//! Providers, models and work of bases that are paused.

use std::time::Duration;

use pgrx::Uuid;

use super::Kind;
use crate::error::Result;
use crate::spi::{Access, Arg, Planning};

/// Why a provider is not called, or work of a base is not done, and for how long.
#[derive(Clone, Debug)]
pub struct Pause {
    /// A provider, a model as provider/model, a base as its identifier, or a kind of its work as its identifier/kind.
    pub target: String,
    pub seconds: f64,
    pub reason: String,
}

impl Pause {
    /// Whether this pause stops calls of a model, given as provider/model.
    pub fn holds_up(&self, model: &str) -> bool {
        self.target == model || model.split('/').next() == Some(self.target.as_str())
    }

    /// The kind of work that this pause stops, if it is for the base.
    pub fn of_base(&self, base: Uuid) -> Option<&str> {
        match self.target.strip_prefix(&base.to_string())? {
            "" => Some("all work"),
            kind => kind.strip_prefix('/'),
        }
    }
}

/// Pauses a kind of work of a base that could not begin. `after` as for [`pause`].
pub fn leave_alone(base: Uuid, kind: Kind, reason: &str, after: impl FnOnce(u32) -> Duration) -> Result<()> {
    pause(&work_of(base, kind), reason, after)
}

/// Pauses all work of a base whose owner's code exceeded its time. Until some of it succeeds, at most one worker works
/// for such bases.
pub fn pause_exceeded(base: Uuid, reason: &str, after: impl FnOnce(u32) -> Duration) -> Result<()> {
    let target = base.to_string();
    pause(&target, reason, after)?;
    super::catalogue(|c| c.execute(include_str!("note_exceeded.sql"), &[Arg::new(target)]))?;
    Ok(())
}

/// Forgets that all work of a base was paused: some of it has succeeded.
pub fn resume_base(base: Uuid) -> Result<()> {
    super::catalogue(|c| c.execute(include_str!("resume_base.sql"), &[Arg::new(base.to_string())]))?;
    Ok(())
}

/// Forgets that a kind of work of a base was paused.
pub fn resume(base: Uuid, kind: Kind) -> Result<()> {
    super::catalogue(|c| c.execute(include_str!("end_pauses.sql"), &[Arg::new(work_of(base, kind))]))?;
    Ok(())
}

fn work_of(base: Uuid, kind: Kind) -> String {
    format!("{base}/{}", kind.name())
}

/// Pauses a provider or a model. `after` gets the number of failures in a row, including this one.
pub fn pause(target: &str, reason: &str, after: impl FnOnce(u32) -> Duration) -> Result<()> {
    super::catalogue(|c| {
        let failures = c.query_one(
            include_str!("pause_failures.sql"),
            Access::Write,
            &[Arg::new(target), Arg::new(reason)],
            |row| row.require::<i32>(1),
        )?;
        let Some(failures) = failures else { return Ok(0) };
        let after = after(failures.unsigned_abs());
        c.execute(include_str!("pause_until.sql"), &[Arg::new(target), Arg::new(after.as_secs_f64())])
    })?;
    Ok(())
}

/// The pauses in force.
pub fn pauses() -> Result<Vec<Pause>> {
    super::catalogue(|c| {
        c.query(include_str!("pauses.sql"), Access::Write, Planning::Auto, &[], |row| {
            Ok(Pause { target: row.require(1)?, seconds: row.require(2)?, reason: row.require(3)? })
        })
    })
}

/// Forgets the failures of a model and its provider, which has just responded, and of the work that it was for.
pub fn succeeded(model: &str, base: Uuid, kind: Kind) -> Result<()> {
    let args = [Arg::new(model), Arg::new(work_of(base, kind))];
    super::catalogue(|c| c.execute(include_str!("pause_over.sql"), &args))?;
    Ok(())
}

/// Ends the pauses of a provider and all its models, or of all work of a base, given by its identifier. Jobs become due
/// that waited because the provider was missing, or not granted to the base's owner.
pub fn end_pauses(of: &str) -> Result<()> {
    super::catalogue(|c| {
        c.execute(include_str!("end_pauses.sql"), &[Arg::new(of)])?;
        c.execute(include_str!("make_due.sql"), &[Arg::new(of)])
    })?;
    super::at_commit();
    Ok(())
}
