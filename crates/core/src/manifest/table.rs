//! The table of a block: which of its columns hold the vectors and the documents, and how its index is scanned.

use crate::plural::counted;

/// The column of the documents, where there are several of its type.
const METADATA: &str = "metadata";
/// pgvector's own limits of hnsw.ef_search.
const MIN_EF_SEARCH: i64 = 40;
const MAX_EF_SEARCH: i64 = 1_000;
/// Candidates that an HNSW scan keeps for each result.
const EF_SEARCH_PER_RESULT: i64 = 2;
const MAX_PROBES: i32 = 32_768;
/// Probes where the lists of an index are not known: as many as pgvector's manual advises for a thousand.
const DEFAULT_PROBES: i32 = 32;
/// The lists of an IVFFlat index that does not say how many it has.
const DEFAULT_LISTS: i32 = 100;

/// The relations that can be read, as pg_class.relkind has them: tables, partitioned and foreign ones, and views.
const READABLE: [&str; 5] = ["r", PARTITIONED, FOREIGN, VIEW, "m"];
const PARTITIONED: &str = "p";
const FOREIGN: &str = "f";
const VIEW: &str = "v";

/// Whether a relation of this kind, as pg_class.relkind has it, can be read.
pub fn is_readable(kind: &str) -> bool {
    READABLE.contains(&kind)
}

/// Whether what a relation of this kind shows may depend on anything.
pub fn may_hide(kind: &str) -> bool {
    [VIEW, FOREIGN].contains(&kind)
}

/// The use of a column, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Type `vector`.
    Vectors,
    /// Type `halfvec`.
    HalfVectors,
    /// Type `jsonb`.
    Documents,
    /// Any other type.
    Others,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Without quotes.
    pub name: String,
    /// Its type.
    pub holds: Holds,
    /// That a column of vectors declares.
    pub dimensions: Option<i32>,
    /// Whether the caller may read it.
    pub may_read: bool,
    /// `hnsw` or `ivfflat`, if it has such an index.
    pub method: Option<String>,
    /// The lists of that index, where it says so.
    pub lists: Option<i32>,
}

/// A reason not to search a table, in the style of PostgreSQL's messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The mistake.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// The fix.
    pub hint: &'static str,
}

/// Whether a search may use an approximate index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// There is none.
    None,
    /// A view or a partition may have one of either kind.
    Unknown,
    /// Of this kind.
    Hnsw,
    /// Of this kind.
    IvfFlat {
        /// Its number of lists.
        lists: i32,
    },
}

impl Column {
    /// The index of this column, in a relation of this kind.
    pub fn index(&self, kind: &str) -> Index {
        match (self.method.as_deref(), self.lists) {
            (Some("ivfflat"), lists) => Index::IvfFlat { lists: lists.unwrap_or(DEFAULT_LISTS) },
            (Some(_), _) => Index::Hnsw,
            (None, _) if [VIEW, PARTITIONED].contains(&kind) => Index::Unknown,
            (None, _) => Index::None,
        }
    }
}

impl Index {
    /// The settings of pgvector with which a scan finds the nearest rows, by their names.
    pub fn settings(self, rows: i64) -> Vec<(&'static str, String)> {
        let mut settings = Vec::new();
        if matches!(self, Index::Hnsw | Index::Unknown) {
            let candidates = rows.saturating_mul(EF_SEARCH_PER_RESULT).clamp(MIN_EF_SEARCH, MAX_EF_SEARCH);
            settings.push(("hnsw.iterative_scan", "relaxed_order".to_string()));
            settings.push(("hnsw.ef_search", candidates.to_string()));
        }
        let probes = match self {
            // As many as pgvector's manual advises.
            Index::IvfFlat { lists } => Some((f64::from(lists).sqrt().ceil() as i32).clamp(1, MAX_PROBES)),
            Index::Unknown => Some(DEFAULT_PROBES),
            Index::None | Index::Hnsw => None,
        };
        if let Some(probes) = probes {
            settings.push(("ivfflat.iterative_scan", "relaxed_order".to_string()));
            settings.push(("ivfflat.probes", probes.to_string()));
        }
        settings
    }
}

/// Brings rows in the order of their distances: an index scan that goes on in steps gives each step in its own order. A zero vector
/// has no distance: it comes last.
pub fn nearest_first<T>(rows: &mut [(f64, T)]) {
    rows.sort_by(|a, b| a.0.is_nan().cmp(&b.0.is_nan()).then(a.0.total_cmp(&b.0)));
}

/// The message where rows were found, but none of them has a text.
pub fn no_text(rows: usize, content_key: &str) -> Unfit {
    Unfit {
        message: format!("none of the {} found has a text under \"{content_key}\"", counted(rows, "row")),
        detail: None,
        hint: "Set content_key to the key of the metadata whose value is the text.",
    }
}

/// The message for vectors of other dimensions than the block says.
pub fn other_dimensions(expected: i32, found: i32, table: &str) -> (String, String) {
    (
        format!("embedding_dimensions is {expected}, but the vectors of {table} have {found}"),
        format!("Use the model that made these vectors, and embedding_dimensions {found}."),
    )
}

/// The columns of vectors and of documents, or what is wrong with either.
pub fn columns<'a>(
    columns: &'a [Column],
    dimensions: i32,
    table: &str,
) -> Result<(&'a Column, &'a Column), Vec<Unfit>> {
    match (embedding_column(columns, dimensions, table), metadata_column(columns, table)) {
        (Ok(embedding), Ok(metadata)) => Ok((embedding, metadata)),
        (embedding, metadata) => Err([embedding.err(), metadata.err()].into_iter().flatten().collect()),
    }
}

/// The column of vectors; of several, the one whose dimensions the block has.
fn embedding_column<'a>(columns: &'a [Column], dimensions: i32, table: &str) -> Result<&'a Column, Unfit> {
    let holds = |column: &&Column| matches!(column.holds, Holds::Vectors | Holds::HalfVectors);
    let found: Vec<&Column> = columns.iter().filter(holds).collect();
    let fits = |column: &&&Column| column.dimensions == Some(dimensions);
    match (found.as_slice(), found.iter().filter(fits).collect::<Vec<_>>().as_slice()) {
        ([only], _) => Ok(only),
        (_, [only]) => Ok(only),
        ([], _) => Err(Unfit {
            message: format!("collection {table} has no column of type vector or halfvec"),
            detail: None,
            hint: "Name the table, or the view, with the vectors of the documents.",
        }),
        _ => Err(Unfit {
            message: format!("collection {table} has several columns of vectors"),
            detail: Some(format!("They are {}.", names(&found))),
            hint: "Make a view with the one that is meant, and name the view.",
        }),
    }
}

/// The column of JSONB documents: `metadata`, or the only one.
fn metadata_column<'a>(columns: &'a [Column], table: &str) -> Result<&'a Column, Unfit> {
    let found: Vec<&Column> = columns.iter().filter(|column| column.holds == Holds::Documents).collect();
    match (found.as_slice(), found.iter().find(|column| column.name == METADATA)) {
        (_, Some(named)) => Ok(named),
        ([only], None) => Ok(only),
        ([], None) => Err(Unfit {
            message: format!("collection {table} has no column of type jsonb"),
            detail: None,
            hint: "The text of a document is in a jsonb column, under the key that content_key names.",
        }),
        _ => Err(Unfit {
            message: format!("collection {table} has several columns of type jsonb"),
            detail: Some(format!("They are {}.", names(&found))),
            hint: "Call the one with the documents metadata, or make a view with it alone.",
        }),
    }
}

fn names(columns: &[&Column]) -> String {
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, holds: Holds, dimensions: Option<i32>) -> Column {
        Column { name: name.to_string(), holds, dimensions, may_read: true, method: None, lists: None }
    }

    fn found(all: &[Column]) -> Result<(&str, &str), Vec<&'static str>> {
        match columns(all, 8, "t") {
            Ok((embedding, metadata)) => Ok((&embedding.name, &metadata.name)),
            Err(faults) => Err(faults.into_iter().map(|fault| fault.hint).collect()),
        }
    }

    #[test]
    fn columns_are_found_by_type_dimensions_and_name() {
        let [small, large] =
            [column("small", Holds::HalfVectors, Some(8)), column("large", Holds::Vectors, Some(16))];
        let [metadata, other] =
            [column("metadata", Holds::Documents, None), column("other", Holds::Documents, None)];
        let id = column("id", Holds::Others, None);
        let all = [id.clone(), large.clone(), small.clone(), other.clone(), metadata];
        assert_eq!(found(&all), Ok(("small", "metadata")));
        assert_eq!(found(&[large.clone(), other.clone()]), Ok(("large", "other")));
        assert_eq!(found(&[id]).map_err(|faults| faults.len()), Err(2));
        let another = column("another", Holds::Vectors, Some(8));
        let faults = columns(&[small, large, another, other], 8, "t").unwrap_err();
        assert_eq!(faults[0].detail.as_deref(), Some("They are small, large, another."));
    }

    #[test]
    fn a_row_without_a_distance_is_the_last() {
        let mut rows = vec![(f64::NAN, 'a'), (0.5, 'b'), (-0.0, 'c'), (1.5, 'd')];
        nearest_first(&mut rows);
        assert_eq!(rows.iter().map(|row| row.1).collect::<String>(), "cbda");
    }

    #[test]
    fn an_index_is_scanned_for_as_many_rows() {
        let settings = |index: Index, rows| {
            let settings = index.settings(rows).into_iter().map(|(name, value)| format!("{name}={value}"));
            settings.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(settings(Index::None, 5), "");
        assert_eq!(settings(Index::Hnsw, 5), "hnsw.iterative_scan=relaxed_order hnsw.ef_search=40");
        assert_eq!(settings(Index::Hnsw, i64::MAX), "hnsw.iterative_scan=relaxed_order hnsw.ef_search=1000");
        let lists = Column { method: Some("ivfflat".to_string()), ..column("v", Holds::Vectors, None) };
        assert_eq!(lists.index("r"), Index::IvfFlat { lists: 100 });
        assert_eq!(settings(lists.index("r"), 5), "ivfflat.iterative_scan=relaxed_order ivfflat.probes=10");
        assert_eq!(column("v", Holds::Vectors, None).index("v").settings(5).len(), 4);
        assert_eq!(column("v", Holds::Vectors, None).index("r"), Index::None);
    }
}
