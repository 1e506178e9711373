//! Estimates of what the caller may see, from samples of chunks that are checked as the caller.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use kb_rag_core::visible::Visible;

use super::check::{self, Chunk};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::keyword_index::Size;
use crate::postgres::spi::Connection;
use crate::postgres::test_point::test_limit;

/// Estimates of the chunks that the caller may see.
pub struct Estimated {
    /// Their estimated number and length, and the configurations of those that were checked.
    pub size: Size,
    /// The sample of all chunks.
    pub of_all: Visible,
    /// All chunks, hidden ones too.
    chunks: f64,
    /// The length of the visible chunks of the sample.
    length: f64,
    /// The chunks that were checked, and whether the caller may see them.
    known: RefCell<HashMap<i64, bool>>,
}

impl Estimated {
    /// Of a base with so many chunks, before a sample is checked.
    pub fn new(chunks: i64) -> Estimated {
        Estimated {
            size: Size::default(),
            of_all: Visible::default(),
            chunks: chunks as f64,
            length: 0.0,
            known: RefCell::default(),
        }
    }

    /// Checks chunks of a sample of all.
    pub fn add_sample(
        &mut self,
        connection: &Connection,
        base: &KnowledgeBase,
        sample: &[i64],
    ) -> Result<()> {
        let visible = self.check(connection, base, sample)?;
        self.of_all.sampled += sample.len();
        self.of_all.visible += visible.len();
        self.length += visible.iter().map(|chunk| f64::from(chunk.length.max(0))).sum::<f64>();
        let configs = visible.into_iter().filter_map(|chunk| chunk.text_config);
        let configs: BTreeSet<String> = configs.chain(std::mem::take(&mut self.size.text_configs)).collect();
        let chunks = (self.of_all.share() * self.chunks).round();
        self.size = Size {
            chunks: chunks as i64,
            length: (chunks * self.length / self.of_all.visible.max(1) as f64) as i64,
            text_configs: configs.into_iter().collect(),
        };
        Ok(())
    }

    /// The visible ones of these chunks.
    pub fn visible_of(
        &self,
        connection: &Connection,
        base: &KnowledgeBase,
        numbers: &[i64],
    ) -> Result<HashSet<i64>> {
        if test_limit("unchecked_candidates", 0) > 0 {
            return Ok(numbers.iter().copied().collect());
        }
        let unknown: Vec<i64> = {
            let known = self.known.borrow();
            numbers.iter().copied().filter(|number| !known.contains_key(number)).collect()
        };
        self.check(connection, base, &unknown)?;
        let known = self.known.borrow();
        Ok(numbers.iter().copied().filter(|number| known.get(number) == Some(&true)).collect())
    }

    /// Checks chunks as the caller, and returns the visible ones.
    fn check(&self, connection: &Connection, base: &KnowledgeBase, numbers: &[i64]) -> Result<Vec<Chunk>> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let visible = check::numbers(connection, base, numbers)?;
        let mut known = self.known.borrow_mut();
        known.extend(numbers.iter().map(|number| (*number, false)));
        known.extend(visible.iter().map(|chunk| (chunk.number, true)));
        Ok(visible)
    }
}
