//! The nearest vectors under row security: candidates that are found as the owner are checked as the caller.

use std::collections::HashSet;

use pgrx::Uuid;

use super::{Depth, Nearest};
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::test_point::test_limit;
use crate::search::filter::Filter;
use crate::search::visible::{self, Estimated, Listed};

/// So many times the candidates that should suffice are found first.
const WANTED: f64 = 1.25;
/// Each further list of candidates is so many times longer.
const LONGER: i64 = 4;
/// Once so many candidates were too few, all vectors that the caller may see are compared.
const MAX_CANDIDATES: i64 = 10_000;

/// The nearest of the chunks that the caller may see, exactly.
pub fn listed(
    of: &Nearest,
    listed: &Listed,
    filter: &Filter,
    depth: Depth,
) -> Result<Option<Vec<(Uuid, f64)>>> {
    if listed.ids.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let open = filter.open();
    passing(of, filter, depth.hits, depth.hits, |hits| {
        let query = of.query(&open, hits)?.among(listed.ids.clone());
        // PostgreSQL does not know that the ids are few, or that they are many.
        let found =
            guc::with_index(|| query.run(of.connection, include_str!("listed.sql"), Planning::Generic))?;
        Ok(Some(Candidates { is_all: (found.len() as i64) < hits, found }))
    })
}

/// The nearest chunks that the caller may see, by the index. None if it does not help.
pub fn estimated(
    of: &Nearest,
    estimated: &Estimated,
    filter: &Filter,
    depth: Depth,
) -> Result<Option<Vec<(Uuid, f64)>>> {
    let open = filter.open();
    let first = (WANTED * depth.hits as f64 / estimated.of_all.share().max(f64::MIN_POSITIVE)) as i64;
    let max = test_limit("max_candidates", MAX_CANDIDATES);
    if first > max {
        return Ok(None);
    }
    passing(of, filter, depth.hits, first.max(depth.hits), |hits| {
        let candidates = depth.candidates * hits / depth.hits.max(1);
        let found = of.indexed(&open, Depth { hits, candidates })?;
        Ok(found.map(|found| Candidates { found, is_all: false }))
    })
}

struct Candidates {
    /// By distance, or nearly.
    found: Vec<(Uuid, f64)>,
    /// Whether there are no others.
    is_all: bool,
}

/// The nearest `hits` candidates that the caller may see and that pass the filter. `candidates` finds the nearest, as many as it is
/// asked for, as the owner: `first` at first. None if it has none, or if they were too few.
fn passing(
    of: &Nearest,
    filter: &Filter,
    hits: i64,
    first: i64,
    candidates: impl Fn(i64) -> Result<Option<Candidates>>,
) -> Result<Option<Vec<(Uuid, f64)>>> {
    let (mut checked, mut visible, mut wanted) = (HashSet::new(), HashSet::new(), first);
    loop {
        let Some(candidates) = of.base.as_owner(|| candidates(wanted))? else { return Ok(None) };
        let fresh: Vec<Uuid> =
            candidates.found.iter().map(|(id, _)| *id).filter(|id| checked.insert(*id)).collect();
        visible.extend(check(of, filter, fresh)?);
        let passing: Vec<(Uuid, f64)> =
            candidates.found.into_iter().filter(|(id, _)| visible.contains(id)).take(hits as usize).collect();
        if candidates.is_all || passing.len() as i64 >= hits {
            return Ok(Some(passing));
        }
        if wanted >= MAX_CANDIDATES {
            return Ok(None);
        }
        wanted = (wanted * LONGER).min(MAX_CANDIDATES);
    }
}

/// Those of these chunks that the caller may see and that pass the filter.
fn check(of: &Nearest, filter: &Filter, ids: Vec<Uuid>) -> Result<Vec<Uuid>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    if test_limit("unchecked_candidates", 0) > 0 {
        return Ok(ids);
    }
    // Candidates pass the rest of the filter, and vectors have no policies of their own.
    if visible::follows(of.base)? {
        return visible::ids_followed(of.base, &ids);
    }
    let schema = of.base.quoted_schema();
    let mut args = vec![Arg::new(ids)];
    let conditions = filter.conditions(&schema, &mut args)?;
    let passing = |template: &str, args: &[Arg]| {
        let sql = spi::render(template, &[("schema", &schema), ("conditions", &conditions)]);
        guc::with_index(|| {
            of.connection.query(&sql, Access::Read, Planning::Generic, args, |row| row.require(1))
        })
    };
    // Most hidden vectors are those of hidden chunks, which are found in fewer steps.
    let chunks: Vec<Uuid> = passing(include_str!("visible_chunks.sql"), &args)?;
    passing(include_str!("visible_vectors.sql"), &[Arg::new(chunks)])
}
