//! The keyword index: searches in every state that a table is in, loading with and without it, its WAL and size,
//! single-row writes, and questions in plain language.

mod insert;
mod load;
mod natural;
mod search;

use anyhow::Result;

use crate::bench::Bench;
use crate::corpus::DIMENSIONS;
use crate::server::Server;
use crate::workers;
use insert::Writes;
use search::State;

const PART: &str = "2-keyword";

/// How much is measured.
pub struct Extent {
    /// The sizes of the bases, in chunks, ascending.
    pub sizes: Vec<usize>,
    /// Chunks per COPY.
    pub step: usize,
    /// The size at which loading and writing is compared with a base without a keyword index.
    pub paired: usize,
    /// Queries per stratum after VACUUM, and in the other states.
    pub each: usize,
    pub few: usize,
    /// Segments of one chunk that wait to be merged. Fewer than a writer merges by itself.
    pub small: usize,
    /// Single-row writes, including these.
    pub inserts: usize,
    /// Chunks of the base that is asked in plain language, and how many questions.
    pub natural: usize,
    pub questions: usize,
}

impl Extent {
    /// Everything that `make bench` runs; `large` adds a base of a million chunks.
    pub fn full(large: bool) -> Extent {
        let mut sizes = vec![1_000, 20_000, 200_000];
        if large {
            sizes.push(1_000_000);
        }
        Extent {
            sizes,
            step: 10_000,
            paired: 200_000,
            each: 35,
            few: 20,
            small: 200,
            inserts: 3_000,
            natural: 50_000,
            questions: 300,
        }
    }

    /// Every part in some seconds.
    pub fn smoke() -> Extent {
        Extent {
            sizes: vec![300, 2_000],
            step: 500,
            paired: 2_000,
            each: 4,
            few: 2,
            small: 20,
            inserts: 60,
            natural: 600,
            questions: 5,
        }
    }

    /// Passages needed from the corpus.
    pub fn passages(&self) -> usize {
        self.sizes.last().copied().unwrap_or_default() + self.small
    }
}

/// A base without vectors.
pub struct Base {
    pub name: String,
    pub schema: String,
    /// How many passages of the corpus it has: the first ones.
    pub len: usize,
}

impl Base {
    /// Makes an empty one, in the place of one that an earlier run left.
    pub fn create(server: &mut Server, name: &str, text_config: &str) -> Result<Base> {
        server.run(&format!(
            "SELECT kb_drop(name) FROM kb_list() WHERE name = '{name}';
             SELECT kb_create('{name}', model => 'fake/bench', dimensions => {DIMENSIONS}, chunk_strategy => 'none',
                 text_config => '{text_config}', embed => 'off')"
        ))?;
        Ok(Base { name: name.to_string(), schema: format!("kb_{name}"), len: 0 })
    }

    /// What a search for the ten best runs; $1 is the question.
    pub fn search(&self) -> String {
        format!(
            "SELECT chunk_id, content, metadata, score FROM kb_search($1, '{}', 'keyword', 10)",
            self.name
        )
    }

    /// How many segments the keyword index has.
    pub fn segments(&self, server: &mut Server) -> Result<i64> {
        server.number(&format!("SELECT count(*) FROM {}.keyword_segment", self.schema), &[])
    }

    /// Bytes of the keyword index, with the index that finds the chunk of a number.
    pub fn bytes(&self, server: &mut Server) -> Result<i64> {
        let sql = "SELECT pg_total_relation_size('{schema}.keyword_segment')
             + pg_total_relation_size('{schema}.keyword_run') + pg_relation_size('{schema}.chunk_keyword_number')";
        server.number(&sql.replace("{schema}", &self.schema), &[])
    }

    /// Runs ANALYZE or VACUUM on the tables that a search reads.
    pub fn maintain(&self, server: &mut Server, command: &str) -> Result<()> {
        server.run(&format!(
            "{command} {s}.document, {s}.chunk, {s}.keyword_segment, {s}.keyword_run",
            s = self.schema
        ))
    }

    pub fn drop(&self, server: &mut Server) -> Result<()> {
        server.run(&format!("SELECT kb_drop('{}')", self.name))
    }
}

pub fn measure(bench: &mut Bench, extent: &Extent) -> Result<()> {
    // Segments wait to be merged for as long as they are measured.
    workers::stop(&mut bench.server)?;
    let (mut times, mut sizes) = (Vec::new(), Vec::new());
    for len in extent.sizes.iter().copied() {
        let mut loaded = load::measure(bench, extent, len)?;
        for state in [State::Loaded, State::Analyzed, State::Vacuumed] {
            times.extend(search::measure(bench, extent, &loaded.base, state)?);
        }
        sizes.push(load::sizes(&mut bench.server, &loaded)?);
        let mut writes = Writes::default();
        writes.run(bench, &loaded, extent.small)?;
        loaded.base.len += extent.small;
        times.extend(search::measure(bench, extent, &loaded.base, State::Unmerged)?);
        if let Some(bare) = &loaded.bare {
            writes.run(bench, &loaded, extent.inserts - extent.small)?;
            writes.report(bench, &loaded)?;
            bare.drop(&mut bench.server)?;
        }
        loaded.base.drop(&mut bench.server)?;
    }
    search::tabulate(&bench.report, extent, &times)?;
    load::tabulate_sizes(&bench.report, &sizes)?;
    natural::measure(bench, extent)
}
