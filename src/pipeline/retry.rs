//! kb_retry: retries what failed.

use kb_rag_core::model_name::ModelName;
use pgrx::Uuid;

use crate::base;
use crate::error::Result;
use crate::ingest;
use crate::postgres::spi::{self, Access};
use crate::queue::{self, Kind};
use crate::web;

/// Makes all jobs of a base due that failed or wait for a retry, and ends its pauses and those of its providers. Sources that
/// servers asked to wait are tried once, at most once a minute. Returns the number of jobs.
pub fn retry(name: &str) -> Result<i64> {
    let base = base::by_name(name, Access::Write)?;
    base.require_admin()?;
    // Tables before rows of the queue: the order of workers and of functions that change the base.
    let lock = spi::render(include_str!("lock_document.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.run(&lock))?;
    for space in std::iter::once(&base.settings.space).chain(&base.next) {
        queue::end_pauses_of_provider(space.model.provider())?;
    }
    if let Some(model) = &base.settings.summaries {
        queue::end_pauses_of_provider(ModelName::new(model.as_str()).provider())?;
    }
    queue::end_pauses_of_base(base.id)?;
    let wait_on = web::let_all_try(&base)?;
    let retried = queue::retry(base.id, &wait_on)?;
    // Documents of a pending model are served by the current one meanwhile.
    let documents: Vec<Uuid> =
        retried.iter().filter(|(kind, _)| *kind == Kind::Embed).map(|(_, target)| *target).collect();
    base.connect(|c| ingest::set_status(c, &base, &base.quoted_schema(), &documents, ingest::PENDING, None))?;
    Ok(retried.len() as i64)
}
