//! The rows of kb_rag.status.

use pgrx::prelude::*;

use super::count::{self, Counts, Statistics};
use super::progress::{Progress, progress};
use super::statistics::{self, Kept};
use crate::base::{self, Covered, Extent, KnowledgeBase, Reach, Unnamed};
use crate::error::Result;
use crate::model::{self, Model};
use crate::postgres::transaction;
use crate::queue::{self, Pause};
use crate::web;

/// What is shown about the tables of a base.
struct Shown {
    statistics: Option<Statistics>,
    /// Why the statistics are not the current ones.
    note: Option<&'static str>,
    counted_at: Option<TimestampWithTimeZone>,
}

/// One row of kb_rag.status.
pub struct Status {
    pub base: KnowledgeBase,
    /// The weights of the model that this process uses. None for a provider's model and for one that is missing.
    pub model_variant: Option<&'static str>,
    /// The instructions that this process computes with.
    pub model_kernel: Option<&'static str>,
    /// None where they are not known, or hidden from the caller.
    pub counts: Option<Counts>,
    pub work: Progress,
    /// Why the counts are not the current ones, and to whom the base is closed.
    pub note: Option<String>,
    pub counted_at: Option<TimestampWithTimeZone>,
}

/// The status of the bases that the caller may read. Bases with code of other roles, and locked ones, are shown with the
/// statistics that the workers keep, which are requested again.
pub fn status() -> Result<Vec<Status>> {
    base::unnamed(Extent::Whole, |_| Ok(()), status_of)
}

fn status_of(found: Unnamed) -> Result<Vec<Status>> {
    found.warn();
    for base in found.with_reach(Reach::Locked) {
        pgrx::warning!(
            "knowledge base \"{}\" is not counted: another transaction holds a lock on its tables",
            base.name
        );
    }
    let pauses = queue::pauses()?;
    let missing = queue::missing_worker()?;
    let mut kept = statistics::kept(found.with_reach(Reach::Outside).chain(found.with_reach(Reach::Locked)))?;
    statistics::request(found.with_reach(Reach::Outside), &kept, &pauses);
    found
        .covered
        .into_iter()
        .map(|Covered { base, reach }| {
            let shown = match reach {
                Reach::Open => Shown::counted_now(&base)?,
                Reach::Locked => Shown::kept(&base, kept.remove(&base.id), LOCKED)?,
                Reach::Outside => Shown::kept(&base, kept.remove(&base.id), KEPT)?,
            };
            // A provider may repeat in its response the text that was sent.
            let is_secured = base.is_row_secured()?;
            let visible = if is_secured { without_reasons(&pauses) } else { pauses.clone() };
            // A page belongs to nobody whom row security could show it to.
            let waits = if is_secured { Vec::new() } else { web::waits(base.id)? };
            shown.status(base, &visible, &waits, missing.as_deref())
        })
        .collect()
}

/// Pauses without their reasons, for a caller from whom row security hides documents.
fn without_reasons(pauses: &[Pause]) -> Vec<Pause> {
    let reason = "the reason is hidden by row security";
    pauses.iter().map(|pause| Pause { reason: reason.to_string(), ..pause.clone() }).collect()
}

const LOCKED: &str = "locked by another transaction";
const KEPT: &str = "statistics kept by workers";
const HIDDEN: &str = "hidden by row security";

impl Shown {
    fn counted_now(base: &KnowledgeBase) -> Result<Shown> {
        Ok(Shown {
            statistics: Some(count::count(base)?),
            note: None,
            counted_at: TimestampWithTimeZone::try_from(transaction::statement_began_at()).ok(),
        })
    }

    /// Stored statistics count all rows, even those that policies hide from the caller.
    fn kept(base: &KnowledgeBase, kept: Option<Kept>, why: &'static str) -> Result<Shown> {
        if base.is_row_secured()? {
            return Ok(Shown { statistics: None, note: Some(HIDDEN), counted_at: None });
        }
        let (statistics, counted_at) = kept.and_then(|kept| kept.counted).unzip();
        Ok(Shown { statistics, note: Some(why), counted_at })
    }

    fn status(
        self,
        base: KnowledgeBase,
        pauses: &[Pause],
        waits: &[web::Wait],
        missing: Option<&str>,
    ) -> Result<Status> {
        let mut work = progress(&base, self.statistics.as_ref(), pauses, waits)?;
        if let Some(missing) = missing {
            work.add_missing(missing);
        }
        let notes = [self.note.map(str::to_string), base.row_security_note()?];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        // A base without its model still has a status.
        let model = model::tokenizer_of(&base.settings.space.model).ok();
        Ok(Status {
            model_variant: model.as_ref().and_then(Model::variant),
            model_kernel: model.as_ref().and_then(Model::kernel),
            counts: self.statistics.map(|statistics| statistics.counts),
            work,
            note,
            counted_at: self.counted_at,
            base,
        })
    }
}
