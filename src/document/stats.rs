//! kb_stats: how many documents of each source type there are.

use std::collections::BTreeMap;

use super::{rows, scope, spread};
use crate::base::KnowledgeBase;
use crate::cluster;
use crate::error::Result;
use crate::postgres::spi::{self, Access, Planning};

/// The documents of one source type.
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub documents: i64,
    pub chunks: i64,
    pub failed: i64,
}

/// The documents that the caller may see by their source type, of one base or of all of the caller's circle. Those without a
/// type, which only an altered table has, come last.
pub fn stats(knowledge_base: Option<&str>) -> Result<Vec<(Option<String>, Stats)>> {
    cluster::here_or_over(scope::over(knowledge_base, of_bases), spread::stats)
}

/// The sums of several bases.
pub fn of_bases(bases: &[KnowledgeBase]) -> Result<Vec<(Option<String>, Stats)>> {
    let mut sums = Sums::default();
    for base in bases {
        for (source_type, stats) in of_base(base)? {
            sums.add(source_type, stats);
        }
    }
    Ok(sums.take())
}

/// Sums by source type. NULL is true: after all types.
#[derive(Default)]
pub struct Sums(BTreeMap<(bool, Option<String>), Stats>);

impl Sums {
    pub fn add(&mut self, source_type: Option<String>, stats: Stats) {
        let sum = self.0.entry((source_type.is_none(), source_type)).or_default();
        sum.documents += stats.documents;
        sum.chunks += stats.chunks;
        sum.failed += stats.failed;
    }

    pub fn take(self) -> Vec<(Option<String>, Stats)> {
        self.0.into_iter().map(|((_, source_type), stats)| (source_type, stats)).collect()
    }
}

fn of_base(base: &KnowledgeBase) -> Result<Vec<(Option<String>, Stats)>> {
    base.read(|| {
        let sql = rows::statement(base, include_str!("stats.sql"));
        spi::connect(|c| {
            c.query(&sql, Access::Read, Planning::Auto, &[], |row| {
                let (documents, chunks, failed) = (row.require(2)?, row.require(3)?, row.require(4)?);
                Ok((row.get(1)?, Stats { documents, chunks, failed }))
            })
        })
    })
}
