//! Vectors that the rows of an attached table bring along, in a column that kb_attach names.

use kb_rag_core::given_vector::{self, Fault};
use kb_rag_core::model_name::EmbeddingSpace;
use kb_rag_core::plural::counted;
use pgrx::pg_sys;

use super::options::{MadeBy, Options};
use super::row::SourceRow;
use super::table::{Candidate, Known};
use super::warned;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access};
use crate::postgres::vector::Pgvector;

/// What is done about vectors of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vectors {
    /// Rows bring none.
    #[default]
    None,
    /// Those of so many dimensions are taken.
    Taken(usize),
    /// They were taken, and stay until a text changes: the base has another model now, or the column is gone.
    Kept,
    /// They were taken, and all documents are to be embedded.
    Released,
}

impl Vectors {
    /// Of an attachment, whose column is there or not, to a base with these vectors.
    pub fn of(options: &Options, has_column: bool, space: &EmbeddingSpace) -> Vectors {
        match &options.embedding {
            Some(made_by) if has_column && *made_by == MadeBy::of(space) => {
                Vectors::Taken(space.dimensions as usize)
            }
            Some(_) => Vectors::Kept,
            None if options.takes_vectors => Vectors::Released,
            None => Vectors::None,
        }
    }
}

impl MadeBy {
    /// The vectors that a base has.
    pub fn of(space: &EmbeddingSpace) -> MadeBy {
        MadeBy { model: space.model.to_string(), dimensions: space.dimensions }
    }
}

/// The types of columns whose vectors are taken.
#[derive(Clone, Copy)]
pub enum Type {
    /// vector and halfvec, whose modifier is the number of dimensions.
    Vector,
    Real,
    Double,
}

impl Type {
    /// None for a type that holds no vectors.
    pub fn of(kind: pg_sys::Oid) -> Result<Option<Type>> {
        let kind = lookup::base_type(kind);
        Ok(match kind {
            pg_sys::FLOAT4ARRAYOID => Some(Type::Real),
            pg_sys::FLOAT8ARRAYOID => Some(Type::Double),
            _ => Pgvector::find()?.has_type(kind).then_some(Type::Vector),
        })
    }

    /// The SQL that gives a column as real[], with NaN for NULL.
    pub fn numbers(self, column: &str) -> String {
        match self {
            Type::Vector => format!("{column}::real[]"),
            Type::Real => format!("array_replace({column}::real[], NULL, 'NaN'::real)"),
            Type::Double => spi::render(include_str!("numbers.sql"), &[("column", column)]),
        }
    }
}

/// Notes in the options that the vectors of a column are taken: those of the base's model, or of another one that an earlier call
/// recorded. 42804 for a column of another type, 22000 if its vectors have other dimensions than those of the base.
pub fn enter(
    column: &Known,
    recorded: Option<&MadeBy>,
    base: &KnowledgeBase,
    table: &Candidate,
    options: &mut Options,
) -> Result<()> {
    let made_by = MadeBy::of(&base.settings.space);
    if recorded.is_none_or(|recorded| *recorded == made_by) {
        check(column, base, table)?;
    }
    options.embedding = Some(recorded.cloned().unwrap_or(made_by));
    options.takes_vectors = true;
    Ok(())
}

fn check(column: &Known, base: &KnowledgeBase, table: &Candidate) -> Result<()> {
    let (name, wanted) = (spi::quote_identifier(&column.name), base.settings.space.dimensions);
    let of = Type::of(column.kind)?.ok_or_else(|| {
        let kind = lookup::type_name(column.kind);
        Error::wrong_type(format!(
            "column {name} of table {} is of type {kind}, which holds no vectors",
            table.name
        ))
        .hint("embedding names a column of type vector, halfvec, real[] or double precision[].")
    })?;
    let declared = matches!(of, Type::Vector).then_some(column.modifier).filter(|dimensions| *dimensions > 0);
    let found = match declared {
        Some(dimensions) => Some(dimensions),
        None => dimensions_of_first(&of.numbers(&name), table)?,
    };
    match found.filter(|found| *found != wanted) {
        Some(found) => {
            let (model, base) = (&base.settings.space.model, &base.name);
            Err(Error::bad_vector(format!(
                "vectors in column {name} of table {} have {}, not {wanted}",
                table.name,
                counted(found, "dimension")
            ))
            .hint(format!(
                "Knowledge base \"{base}\" has {wanted} dimensions, of model \"{model}\". Attach the table to one of the model \
                 that made these vectors: kb_create(…, model => …, dimensions => {found})."
            )))
        }
        None => Ok(()),
    }
}

/// The dimensions of the first vector among the first rows.
fn dimensions_of_first(numbers: &str, table: &Candidate) -> Result<Option<i32>> {
    let values = [("numbers", numbers), ("table", &*table.source())];
    let sql = spi::render(include_str!("dimensions.sql"), &values);
    role::run_as(table.owner, || {
        guc::with_settings(&guc::TEXT_SETTINGS, || {
            spi::connect(|c| c.query_one(&sql, Access::Latest, &[], |row| row.require(1)))
        })
    })
}

/// The vector of a row, of length 1. One that is of no use is as if it were NULL, with a warning.
pub fn vector_of(row: &SourceRow, dimensions: usize) -> Option<Vec<f32>> {
    let fault = match given_vector::unit(row.vector.as_ref()?, dimensions) {
        Ok(vector) => return Some(vector),
        Err(fault) => fault,
    };
    if warned::is_new(&row.key) {
        let what = match fault {
            Fault::Dimensions(found) => format!("has {}, not {dimensions}", counted(found, "dimension")),
            Fault::NotFinite => "contains NULL, NaN or infinity".to_string(),
            Fault::Zero => "is zero, and has no direction".to_string(),
        };
        Error::bad_vector(format!("the vector of row \"{}\" {what}", row.key)).warn("it is treated as NULL");
    }
    None
}
