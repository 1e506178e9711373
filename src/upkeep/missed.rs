//! What was written while library and SQL had different formats: triggers noted it and did nothing else
//! ([`crate::catalog::missed`]).

use std::cell::RefCell;
use std::collections::HashMap;

use pgrx::Uuid;

use super::reconcile;
use crate::attach;
use crate::base::{self, KnowledgeBase};
use crate::catalog::missed;
use crate::error::Result;
use crate::ingest;
use crate::model;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::queue::{self, Kind};

thread_local! {
    /// Up to which document each base was repaired in this process.
    static PLACES: RefCell<HashMap<Uuid, Uuid>> = RefCell::default();
}

/// Comes before all ids.
const FIRST: [u8; 16] = [0; 16];

/// What is left to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Done,
    /// Another step, in a transaction of its own.
    Another,
    /// Another step, but other transactions have the rest locked.
    Busy,
}

/// Queues the repair of what triggers have noted: bases, and attached tables, which are read again. Touches only the
/// catalog, so that a base that was altered does not keep others from it.
pub fn queue_missed() -> Result<()> {
    for (base, source) in missed::take(None)? {
        if !base::exists(base)? {
            continue;
        }
        match source {
            Some(source) => attach::read_again(base, source)?,
            None => queue::enqueue(base, Kind::Repair, &[base])?,
        }
    }
    Ok(())
}

/// Does the next step of the repair of a base: indexes some documents whose `content_hash` is NULL, or repairs the keyword index
/// when there is none left.
pub fn repair_missed(base: Uuid) -> Result<Progress> {
    let Some(base) = base::by_id(base)?.filter(KnowledgeBase::has_schema) else { return Ok(Progress::Done) };
    base.lock()?;
    let schema = base.quoted_schema();
    base.connect(|c| {
        let sql = spi::render(include_str!("missed_documents.sql"), &[("schema", &schema)]);
        let after = |place: Uuid| {
            // By the primary key: each step would read the whole table otherwise, whatever PostgreSQL knows of it.
            guc::with_index(|| {
                c.query(&sql, Access::Write, Planning::Custom, &[Arg::new(place)], |row| {
                    row.require::<Uuid>(1)
                })
            })
        };
        let place = PLACES.with_borrow(|places| places.get(&base.id).copied());
        let mut ids = after(place.unwrap_or(Uuid::from_bytes(FIRST)))?;
        if ids.is_empty() && place.is_some() {
            // Some may have been locked, or written meanwhile.
            ids = after(Uuid::from_bytes(FIRST))?;
        }
        PLACES.with_borrow_mut(|places| match ids.last() {
            Some(last) => places.insert(base.id, *last),
            None => places.remove(&base.id),
        });
        if !ids.is_empty() {
            let model = model::tokenizer_of(&base.settings.space.model)?;
            guc::with_index(|| reconcile::repair_group(c, &base, &schema, &model, &ids))?;
            return Ok(Progress::Another);
        }
        let sql = spi::render(include_str!("is_any_missed.sql"), &[("schema", &schema)]);
        if c.query_one(&sql, Access::Write, &[], |row| row.require::<bool>(1))? == Some(true) {
            return Ok(Progress::Busy);
        }
        // Deletions that arrived by logical replication left chunks.
        for sql in [include_str!("orphan_chunks.sql"), include_str!("orphan_embeddings.sql")] {
            c.execute(&spi::render(sql, &[("schema", &schema)]), &[])?;
        }
        reconcile::repair_index(c, &base)?;
        ingest::tidy_summaries(c, &base, &schema)?;
        ingest::enqueue_missing_summaries(c, &base, &schema)?;
        Ok(Progress::Done)
    })
}
