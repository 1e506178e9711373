//! The progress of the workers, for kb_rag.status.

use kb_rag_core::model_name::ModelName;
use pgrx::prelude::*;

use super::count::Statistics;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::queue::{self, Pause};
use crate::web::Wait;

/// The work under way for a base.
pub struct Progress {
    pub oldest_pending: Option<Interval>,
    pub paused: Option<String>,
    pub chunks_per_second: Option<f64>,
    pub time_to_go: Option<Interval>,
    pub model_change: Option<String>,
}

impl Progress {
    /// Adds why no worker does what is queued.
    pub fn add_missing(&mut self, missing: &str) {
        if self.oldest_pending.is_some() {
            let others = self.paused.take().map(|paused| format!("; {paused}"));
            self.paused = Some(format!("{missing}{}", others.unwrap_or_default()));
        }
    }
}

/// The work under way for a base; `counted` is what is known of its tables, which are not touched. `waits`: what its sources wait
/// for.
pub fn progress(
    base: &KnowledgeBase,
    counted: Option<&Statistics>,
    pauses: &[Pause],
    waits: &[Wait],
) -> Result<Progress> {
    let pace = queue::pace(base.id)?;
    let change = counted.and_then(|counted| counted.change.as_ref());
    let chunks = counted.map_or(0, |counted| counted.counts.chunks);
    // Stored counts may be any numbers that a superuser has written.
    let left = counted.map_or(0, |counted| {
        chunks.saturating_sub(change.map_or(counted.counts.embedded, |change| change.embedded))
    });
    let seconds = pace.chunks_per_second.map(|rate| left.max(0) as f64 / rate);
    let summaries = base.settings.summaries.as_deref().map(ModelName::new);
    let models = || {
        std::iter::once(&base.settings.space).chain(&base.next).map(|space| &space.model).chain(&summaries)
    };
    let mut paused: Vec<String> = pauses
        .iter()
        .filter_map(|pause| {
            let of_model = || models().find_map(|model| pause.of_model(model));
            let target = pause.of_base(base.id).or_else(of_model)?;
            Some(format!("{target} for {:.0} s: {}", pause.seconds.max(0.0), pause.reason))
        })
        .collect();
    for wait in waits {
        let text = format!("{} for {:.0} s: {}", wait.place, wait.seconds.max(0.0), wait.reason);
        // Many sources may wait for one host.
        if !paused.contains(&text) {
            paused.push(text);
        }
    }
    Ok(Progress {
        oldest_pending: pace.oldest_pending,
        paused: (!paused.is_empty()).then(|| paused.join("; ")),
        chunks_per_second: pace.chunks_per_second,
        time_to_go: seconds
            .filter(|_| left > 0)
            .map(|seconds| Interval::from_seconds(seconds.min(MAX_SECONDS))),
        model_change: change.map(|change| {
            let percent = if chunks == 0 { 100.0 } else { 100.0 * change.embedded as f64 / chunks as f64 };
            format!("{}: {percent:.0} %{}", change.model, change.advice())
        }),
    })
}

/// A longer time is not an estimate.
const MAX_SECONDS: f64 = 1e9;
