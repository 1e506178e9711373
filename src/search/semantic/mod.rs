//! The semantic arm: nearest vectors by cosine distance, exactly or over an index, complete either way.

mod secured;

use std::ffi::CString;

use kb_rag_core::ivfflat;
use pgrx::Uuid;

use crate::base::{IndexKind, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::test_point::test_limit;
use crate::postgres::vector::Pgvector;
use crate::search::filter::Filter;
use crate::search::visible::Visible;

/// Up to this many vectors an exact scan costs about a millisecond, and is always used.
const EXACT_ROWS: i64 = 5_000;
/// One row out of the index costs about as much as this many in an exact scan.
const INDEX_ROW_COST: i64 = 25;
/// pgvector's own limits of hnsw.ef_search and default of hnsw.max_scan_tuples.
const MIN_EF_SEARCH: i64 = 40;
const MAX_EF_SEARCH: i64 = 1_000;
const MAX_SCAN_TUPLES: i64 = 20_000;

/// How the nearest vectors were found.
const INDEX: &str = "vector index";
const EXACT: &str = "all vectors compared";
const VISIBLE: &str = "candidates that row security lets pass";

/// How deep a search for the nearest vectors goes.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// The most hits.
    pub hits: i64,
    /// How many candidates the scan of an HNSW index keeps: the more, the fewer near vectors it misses.
    pub candidates: i64,
}

/// What a search for the nearest vectors found.
pub struct Found {
    /// Chunks with their similarities, the nearest first.
    pub hits: Vec<(Uuid, f64)>,
    /// How they were found, for explanations.
    pub method: &'static str,
}

/// The nearest chunks that pass the filter: never fewer than exist. The index scan may stop early
/// (hnsw.max_scan_tuples, ivfflat.max_probes, deleted rows); then, and while the base is small, every vector is compared.
pub fn nearest(
    connection: &Connection,
    pgvector: &Pgvector,
    base: &KnowledgeBase,
    visible: &Visible,
    filter: &Filter,
    vector: &[f32],
    depth: Depth,
) -> Result<Found> {
    let of = Nearest { connection, pgvector, base, vector };
    let checked = match visible {
        Visible::All => return of.nearest(filter, depth),
        Visible::Unread => None,
        Visible::Listed(listed) => secured::listed(&of, listed, filter, depth)?,
        Visible::Estimated(estimated) => secured::estimated(&of, estimated, filter, depth)?,
    };
    match checked {
        Some(hits) => Ok(Found { hits, method: VISIBLE }),
        None => Ok(Found { hits: of.exact(filter, depth.hits)?, method: EXACT }),
    }
}

/// A search for the nearest vectors of a base.
struct Nearest<'a> {
    connection: &'a Connection,
    pgvector: &'a Pgvector,
    base: &'a KnowledgeBase,
    vector: &'a [f32],
}

impl Nearest<'_> {
    fn query(&self, filter: &Filter, hits: i64) -> Result<NearestQuery<'_>> {
        NearestQuery::new(self.pgvector, self.base, filter, self.vector, hits)
    }

    /// Compares all vectors.
    fn exact(&self, filter: &Filter, hits: i64) -> Result<Vec<(Uuid, f64)>> {
        let planning = if filter.is_empty() { Planning::Auto } else { Planning::Custom };
        self.query(filter, hits)?.run(self.connection, include_str!("exact.sql"), planning)
    }

    /// As [`Self::indexed`], or with all vectors compared where that finds too few.
    fn nearest(&self, filter: &Filter, depth: Depth) -> Result<Found> {
        match self.indexed(filter, depth)? {
            Some(hits) => Ok(Found { hits, method: INDEX }),
            None => Ok(Found { hits: self.exact(filter, depth.hits)?, method: EXACT }),
        }
    }

    /// As many as are wanted, by the index; None if there is none that helps, or it finds fewer.
    fn indexed(&self, filter: &Filter, depth: Depth) -> Result<Option<Vec<(Uuid, f64)>>> {
        let scans = index_scans(self.base, filter, depth)?;
        if scans.is_empty() {
            return Ok(None);
        }
        let query = self.query(filter, depth.hits)?;
        // Without a join there is one plan over the index. PostgreSQL would make it again for every search: it expects a plan for
        // any number of results to cost more.
        let planning = if filter.is_empty() { Planning::Generic } else { Planning::Custom };
        for settings in scans {
            let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_c_str())).collect();
            let hits = guc::with_settings(&settings, || {
                query.run(self.connection, include_str!("index.sql"), planning)
            })?;
            if hits.len() as i64 >= depth.hits {
                return Ok(Some(hits));
            }
        }
        Ok(None)
    }
}

/// The placeholders and arguments that both scans share.
struct NearestQuery<'a> {
    schema: String,
    pgvector: &'a str,
    vector: String,
    join: String,
    limit: String,
    listed: String,
    args: Vec<Arg>,
}

impl<'a> NearestQuery<'a> {
    fn new(
        pgvector: &'a Pgvector,
        base: &KnowledgeBase,
        filter: &Filter,
        vector: &[f32],
        depth: i64,
    ) -> Result<NearestQuery<'a>> {
        let schema = base.quoted_schema();
        let mut args = vec![pgvector.arg(vector)?];
        let join = if filter.is_empty() {
            String::new()
        } else {
            let conditions = filter.conditions(&schema, &mut args)?;
            format!("JOIN {schema}.chunk c ON c.id = e.chunk_id AND {conditions}")
        };
        args.push(Arg::new(depth));
        Ok(NearestQuery {
            schema,
            pgvector: &pgvector.schema,
            vector: typed_query(base, pgvector),
            join,
            limit: format!("${}", args.len()),
            listed: String::new(),
            args,
        })
    }

    /// Only among these chunks, whose ids become a further argument.
    fn among(mut self, ids: Vec<Uuid>) -> NearestQuery<'a> {
        self.args.push(Arg::new(ids));
        self.listed = format!("${}", self.args.len());
        self
    }

    fn run(&self, connection: &Connection, template: &str, planning: Planning) -> Result<Vec<(Uuid, f64)>> {
        let sql = spi::render(
            template,
            &[
                ("schema", &self.schema),
                ("vector", self.pgvector),
                ("query", &self.vector),
                ("join", &self.join),
                ("limit", &self.limit),
                ("listed", &self.listed),
            ],
        );
        connection.query(&sql, Access::Read, planning, &self.args, |row| {
            Ok((row.require(1)?, similarity(row.require(2)?)))
        })
    }
}

/// The bound query vector as the column's type.
fn typed_query(base: &KnowledgeBase, pgvector: &Pgvector) -> String {
    match base.settings.vector_type() {
        "halfvec" => format!("$1::{}.halfvec({})", pgvector.schema, base.settings.space.dimensions),
        _ => "$1".to_string(),
    }
}

/// The similarity of these chunks of a base; those without a vector are left out.
pub fn similarities(
    connection: &Connection,
    pgvector: &Pgvector,
    base: &KnowledgeBase,
    vector: &[f32],
    chunks: Vec<Uuid>,
) -> Result<Vec<(Uuid, f64)>> {
    let sql = spi::render(
        include_str!("of.sql"),
        &[
            ("schema", &base.quoted_schema()),
            ("vector", &pgvector.schema),
            ("query", &typed_query(base, pgvector)),
        ],
    );
    base.read(|| {
        let args = [pgvector.arg(vector)?, Arg::new(chunks)];
        connection.query(&sql, Access::Read, Planning::Generic, &args, |row| {
            Ok((row.require(1)?, similarity(row.require(2)?)))
        })
    })
}

type Setting = (&'static std::ffi::CStr, CString);

/// The scans of the index to try, each with its settings of pgvector, until one finds enough; none where every vector is to be
/// compared.
fn index_scans(base: &KnowledgeBase, filter: &Filter, depth: Depth) -> Result<Vec<Vec<Setting>>> {
    let Some(kind) = base.settings.index_kind() else {
        return Ok(Vec::new());
    };
    let rows = base.fitting_vectors(c"embedding")?;
    let cost = depth.hits * test_limit("index_row_cost", INDEX_ROW_COST);
    if rows <= test_limit("exact_rows", EXACT_ROWS) || cost >= rows {
        return Ok(Vec::new());
    }
    let mut scans = match kind {
        IndexKind::Hnsw => hnsw_scans(depth, rows, filter)?,
        // Not built yet, or built for so few vectors that most lists would be compared.
        IndexKind::IvfFlat => match base.ivfflat_lists() {
            Some(lists) => ivfflat_settings(lists, depth.hits, rows, filter)?.into_iter().collect(),
            None => Vec::new(),
        },
    };
    for settings in &mut scans {
        settings.push((c"enable_seqscan", c"off".to_owned()));
    }
    Ok(scans)
}

fn number(n: i64) -> Result<CString> {
    CString::new(n.to_string()).map_err(|_| Error::internal("a number with a NUL byte"))
}

/// A scan that can go on after its first candidates remembers every vector that it passes, which costs a third more. Without a
/// filter it need not go on, unless many of the candidates were deleted.
fn hnsw_scans(depth: Depth, rows: i64, filter: &Filter) -> Result<Vec<Vec<Setting>>> {
    let candidates = depth.candidates.clamp(test_limit("min_ef_search", MIN_EF_SEARCH), MAX_EF_SEARCH);
    let ef_search = (c"hnsw.ef_search", number(candidates)?);
    let mut scans = Vec::with_capacity(2);
    if filter.is_empty() && depth.hits <= candidates {
        scans.push(vec![(c"hnsw.iterative_scan", c"off".to_owned()), ef_search.clone()]);
    }
    scans.push(vec![
        (c"hnsw.iterative_scan", c"relaxed_order".to_owned()),
        ef_search,
        (c"hnsw.max_scan_tuples", number(max_scan_tuples(depth.hits, rows, filter))?),
    ]);
    Ok(scans)
}

/// With a filter, the scan stops after so many tuples that it costs about as much as the exact scan of the filtered part that
/// it competes with, so the worst case is twice the best.
fn max_scan_tuples(depth: i64, rows: i64, filter: &Filter) -> i64 {
    let max = test_limit("max_scan_tuples", MAX_SCAN_TUPLES);
    if filter.is_empty() {
        return max;
    }
    let balanced = ((depth * rows / 5) as f64).sqrt() as i64;
    balanced.clamp(4 * depth, max.max(4 * depth))
}

/// If the compared lists have too few vectors that pass the filter, the scan goes on to half of all lists. Then comparing
/// every vector is faster.
fn ivfflat_settings(lists: i64, depth: i64, rows: i64, filter: &Filter) -> Result<Option<Vec<Setting>>> {
    let Some(probes) = ivfflat::probes(lists, rows, depth, !filter.is_empty()) else { return Ok(None) };
    Ok(Some(vec![
        (c"ivfflat.iterative_scan", c"relaxed_order".to_owned()),
        (c"ivfflat.probes", number(probes)?),
        (c"ivfflat.max_probes", number(probes.max(lists / 2))?),
    ]))
}

/// Cosine similarity. A zero vector, which only a direct write can put into the table, has a distance of NaN: it counts as
/// the farthest, so that it comes last and hides nothing.
fn similarity(distance: f64) -> f64 {
    if distance.is_nan() { -1.0 } else { 1.0 - distance }
}
