//! State shared by all parts.

use anyhow::{Context, Result};

use crate::base::Base;
use crate::corpus::Corpus;
use crate::report::Report;
use crate::server::Server;

/// How much is measured.
pub struct Extent {
    /// The sizes of the bases, in chunks, ascending.
    pub sizes: Vec<usize>,
    /// The sizes that are compared with other SQL.
    pub compared: Vec<usize>,
    /// Queries per stratum and compared base.
    pub each: usize,
    /// The number of these whose buffers and rows are counted.
    pub explained: usize,
    /// Queries per stratum where a base is measured alone, and those of `each` that are also answered
    /// exactly.
    pub few: usize,
    /// Queries per stratum and filter.
    pub filtered: usize,
    /// Chunks written with the fake model and with the local model.
    pub ingested: [usize; 2],
    /// Files of each kind; 0 to leave files out.
    pub files: usize,
    /// Pages of a site that is crawled, at least the 40 of its menu; 0 to leave crawling out.
    pub pages: usize,
    /// Documents of about 100 kB; 0 to leave out what rows show of them.
    pub long_documents: usize,
}

impl Extent {
    /// Everything that `make bench` runs; `large` adds a base of a million chunks.
    pub fn full(large: bool) -> Extent {
        let mut sizes = vec![1_000, 10_000, 50_000, 200_000];
        if large {
            sizes.push(1_000_000);
        }
        Extent {
            sizes,
            compared: vec![1_000, 50_000, 200_000],
            each: 35,
            explained: 8,
            few: 20,
            filtered: 10,
            ingested: [5_000, 200],
            files: 200,
            pages: 500,
            long_documents: 100,
        }
    }

    /// Bases of up to a million chunks, without what other SQL takes.
    pub fn scale() -> Extent {
        Extent { sizes: vec![50_000, 200_000, 1_000_000], explained: 8, few: 20, ..Extent::nothing() }
    }

    /// No sizes: for parts that do not depend on the size of a base.
    pub fn nothing() -> Extent {
        Extent { sizes: Vec::new(), files: 0, pages: 0, long_documents: 0, ..Extent::smoke() }
    }

    /// Every part in less than a minute, to check that it works. The largest base is large enough for the
    /// vector index.
    pub fn smoke() -> Extent {
        Extent {
            sizes: vec![300, 1_000, 6_000],
            compared: vec![300, 6_000],
            each: 4,
            explained: 1,
            few: 2,
            filtered: 2,
            ingested: [300, 5],
            files: 2,
            pages: 40,
            long_documents: 3,
        }
    }
}

/// A run in progress.
pub struct Bench {
    pub server: Server,
    pub corpus: Corpus,
    pub bases: Vec<Base>,
    pub report: Report,
    pub extent: Extent,
}

impl Bench {
    pub fn base(&self, len: usize) -> Result<&Base> {
        self.bases.iter().find(|base| base.len == len).with_context(|| format!("no base of {len} chunks"))
    }
}
