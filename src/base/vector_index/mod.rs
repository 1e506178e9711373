//! The index over the vectors of a base.
//!
//! HNSW is there from the beginning. An IVFFlat index is made of the vectors that exist when it is built: it is built when
//! there are enough for readers with SQL of their own, again when there are enough for searches, and when there are ten times as many. How many it was built for follows from its number of
//! lists, which PostgreSQL keeps with it, also in a dump. How many there are is always told by the pages of the table: what
//! statistics or a count say may differ, and then the index would be built again and again, or never.

use std::ffi::{CStr, CString};

use kb_rag_core::ivfflat;
use pgrx::pg_sys;

use super::{KnowledgeBase, Settings};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::limit;
use crate::postgres::lookup;
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Connection};
use crate::postgres::test_point::test_limit;
use crate::postgres::vector::Pgvector;
use crate::queue::{self, Kind};

/// The IVFFlat index of a base, and the one that is to take its place.
pub const IVFFLAT: &CStr = c"embedding_ivfflat";
pub const IVFFLAT_NEXT: &CStr = c"embedding_ivfflat_next";
/// pgvector's default.
const DEFAULT_LISTS: i64 = 100;
/// Bytes of a row of the table beside those of its vector: line pointer, header, identifier, header of the vector.
const ROW_BYTES: i64 = 4 + 24 + 16 + 8;
const PAGE_HEADER_BYTES: i64 = 24;
/// Fewer vectors than this do not show how later ones lie, however many the pages of the table could hold.
const FEW_ROWS: i64 = 1_000;

/// A kind of index over vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    Hnsw,
    IvfFlat,
}

impl IndexKind {
    /// All kinds.
    pub const ALL: [IndexKind; 2] = [IndexKind::Hnsw, IndexKind::IvfFlat];

    /// How names of indexes end.
    pub fn name(self) -> &'static str {
        match self {
            IndexKind::Hnsw => "hnsw",
            IndexKind::IvfFlat => "ivfflat",
        }
    }

    /// The name of the index of this kind over a table.
    pub fn index_of(self, table: &str) -> CString {
        CString::new(format!("{table}_{}", self.name())).unwrap_or_default()
    }
}

/// Creates the index over the vectors of `table` that the settings ask for; `suffix` follows on its name. None where they
/// ask for no index, or for IVFFlat and there are too few vectors.
pub fn create_vector_index(
    c: &Connection,
    schema: &str,
    settings: &Settings,
    table: &str,
    suffix: &str,
) -> Result<Option<IndexKind>> {
    let Some(kind) = settings.index_kind() else { return Ok(None) };
    let (template, lists) = match kind {
        IndexKind::Hnsw => (include_str!("create_hnsw.sql"), 0),
        IndexKind::IvfFlat => match lists_now(c, schema, settings, table)? {
            Some(lists) => (include_str!("create_ivfflat.sql"), lists),
            None => return Ok(None),
        },
    };
    let sql = spi::render(
        template,
        &[
            ("schema", schema),
            ("table", table),
            ("index", &format!("{table}_{}{suffix}", kind.name())),
            ("vector", &Pgvector::find()?.schema),
            ("operator_class", &format!("{}_cosine_ops", settings.vector_type())),
            ("lists", &lists.to_string()),
        ],
    );
    limit::longer(|| c.run(&sql))?;
    Ok(Some(kind))
}

/// The lists of an IVFFlat index over the vectors of a table. None for too few vectors, also where most pages are empty.
fn lists_now(c: &Connection, schema: &str, settings: &Settings, table: &str) -> Result<Option<i64>> {
    let name = spi::quote_literal(&format!("{schema}.{table}"));
    let sql = spi::render(
        include_str!("count_vectors.sql"),
        &[("schema", schema), ("table", table), ("name", &name)],
    );
    let counted = limit::longer(|| {
        c.query_one(&sql, Access::Latest, &[], |row| Ok((row.require::<i64>(1)?, row.require::<i64>(2)?)))
    })?;
    let (pages, rows) = counted.unwrap_or_default();
    let fitting = fitting(settings, pages);
    let lists = ivfflat::lists(weighed(fitting)).zip(lists_within(settings, fitting));
    // A page that is not full has room for some that are not there.
    let few = test_limit("few_rows", FEW_ROWS).min(fitting / 2);
    let Some((wanted, lists)) = lists.filter(|_| rows >= few) else {
        return Ok(None);
    };
    if lists < wanted {
        Error::warning(format!(
            "the IVFFlat index over {schema}.{table} gets {lists} lists instead of {wanted}: maintenance_work_mem is too low"
        ))
        .detail("Searches compare more vectors than they would with more lists.")
        .hint("Raise maintenance_work_mem and run kb_reindex.")
        .notify();
    }
    Ok(Some(lists))
}

/// The lists of an IVFFlat index over so many vectors, as far as they fit into memory when it is built.
fn lists_within(settings: &Settings, rows: i64) -> Option<i64> {
    let vector =
        ivfflat::Vector { dimensions: i64::from(settings.space.dimensions), bytes: settings.vector_bytes() };
    ivfflat::lists_within(weighed(rows), vector, guc::maintenance_work_mem())
}

/// Drops the IVFFlat index if the vectors were just removed by TRUNCATE. PostgreSQL has built it again for no vectors, and it
/// would put all later ones into arbitrary lists. Other objects of these names stay. Run as the owner of the tables.
pub fn drop_ivfflat_of_empty(
    c: &Connection,
    namespace: pg_sys::Oid,
    schema: &str,
    owner: pg_sys::Oid,
) -> Result<()> {
    let Some(table) =
        lookup::relation(namespace, c"embedding").filter(|table| relation::pages(*table) == Some(0))
    else {
        return Ok(());
    };
    for name in [IVFFLAT, IVFFLAT_NEXT] {
        let Some(index) = lookup::relation(namespace, name).filter(|index| is_ivfflat(*index)) else {
            continue;
        };
        if lookup::table_of_index(index) == Some(table) && lookup::table_owner(index)? == owner {
            let values = [("schema", schema), ("index", &name.to_string_lossy())];
            c.run(&spi::render(include_str!("drop.sql"), &values))?;
        }
    }
    Ok(())
}

fn is_ivfflat(index: pg_sys::Oid) -> bool {
    lookup::access_method(index).is_some_and(|method| method == "ivfflat")
}

impl KnowledgeBase {
    /// How many lists its IVFFlat index has; None where it has none. While there are two, PostgreSQL may use either: the
    /// larger number makes searches compare more.
    pub fn ivfflat_lists(&self) -> Option<i64> {
        let namespace = self.namespace?;
        let lists = |name: &CStr| {
            let index = lookup::relation(namespace, name).filter(|index| is_ivfflat(*index))?;
            let given = lookup::storage_parameter(index, "lists");
            Some(given.and_then(|lists| lists.parse().ok()).unwrap_or(DEFAULT_LISTS))
        };
        [IVFFLAT, IVFFLAT_NEXT].into_iter().filter_map(lists).max()
    }

    /// How many vectors fit the pages of a table: costs no scan and needs no statistics.
    pub fn fitting_vectors(&self, table: &CStr) -> Result<i64> {
        let lost = || self.lost(&format!("table \"{}\"", table.to_string_lossy()));
        Ok(fitting(&self.settings, relation::pages(self.table(table)?).ok_or_else(lost)?))
    }

    /// Whether a table has enough vectors for an IVFFlat index.
    pub fn is_enough_for_ivfflat(&self, table: &CStr) -> Result<bool> {
        Ok(weighed(self.fitting_vectors(table)?) >= ivfflat::MIN_ROWS)
    }

    /// Whether it is to have an IVFFlat index, and has none, or one for a tenth or ten times of its vectors.
    pub fn is_index_due(&self) -> Result<bool> {
        if self.settings.index_kind() != Some(IndexKind::IvfFlat) {
            return Ok(false);
        }
        let rows = self.fitting_vectors(c"embedding")?;
        let wanted = lists_within(&self.settings, rows);
        Ok(match self.ivfflat_lists() {
            None => wanted.is_some(),
            found @ Some(lists) => ivfflat::is_outdated(lists, weighed(rows)) && wanted != found,
        })
    }

    /// Leaves building the index to a worker if it is due. Called after vectors were written.
    pub fn queue_index_if_due(&self) -> Result<()> {
        if self.is_index_due()? && !queue::is_pending(self.id, Kind::Index)? {
            queue::enqueue(self.id, Kind::Index, &[self.id])?;
        }
        Ok(())
    }
}

/// As how many vectors these count for the number of lists: in tests, each as several.
fn weighed(vectors: i64) -> i64 {
    vectors.saturating_mul(test_limit("vector_weight", 1))
}

/// How many vectors fit so many pages.
fn fitting(settings: &Settings, pages: i64) -> i64 {
    let page = i64::from(pg_sys::BLCKSZ) - PAGE_HEADER_BYTES;
    pages.saturating_mul((page / (ROW_BYTES + settings.vector_bytes())).max(1))
}
