//! The rows of the view kb_rag.failed.

use std::collections::HashMap;

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::queue;
use crate::spi::{self, Access, Arg, Planning};

/// A document whose embedding failed.
pub struct Failed {
    pub knowledge_base: String,
    pub document: Uuid,
    pub source_key: Option<String>,
    pub reason: String,
    pub attempts: i32,
    pub next_try: Option<TimestampWithTimeZone>,
}

/// The failed documents in the bases of the caller's circle, as far as row security shows them to the caller.
pub fn failed() -> Result<Vec<Failed>> {
    base::shown(
        |base| Ok(!queue::troubles(base.id)?.is_empty()),
        |bases| {
            let mut all = Vec::new();
            for base in bases {
                all.extend(of_base(&base)?);
            }
            Ok(all)
        },
    )
}

fn of_base(base: &KnowledgeBase) -> Result<Vec<Failed>> {
    let troubles = queue::troubles(base.id)?;
    if troubles.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = troubles.iter().map(|trouble| trouble.target).collect();
    let sql = spi::render(include_str!("source_keys.sql"), &[("schema", &base.quoted_schema())]);
    let keys: HashMap<Uuid, Option<String>> = base
        .read(|| {
            spi::connect(|c| {
                c.query(&sql, Access::Read, Planning::Custom, &[Arg::new(ids)], |row| {
                    Ok((row.require(1)?, row.get(2)?))
                })
            })
        })?
        .into_iter()
        .collect();
    let visible = troubles.into_iter().filter_map(|trouble| {
        Some(Failed {
            knowledge_base: base.name.clone(),
            document: trouble.target,
            source_key: keys.get(&trouble.target)?.clone(),
            reason: trouble.reason,
            attempts: trouble.attempts,
            next_try: trouble.next_try,
        })
    });
    Ok(visible.collect())
}
