//! pgvector's types at the boundary: `vector` values in and out, and where pgvector lives.

use pgrx::prelude::*;
use pgrx::{pg_sys, varlena};

use crate::boundary_type;
use crate::error::{Error, Result};
use crate::spi::{self, Access, Connection};

/// A pgvector `vector`.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(pub Vec<f32>);

impl_sql_translatable!(Vector, "vector");

/// pgvector's binary layout: varlena header, int16 dimensions, int16 unused, then the floats.
const HEADER_BYTES: usize = 8;

impl FromDatum for Vector {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _type_oid: pg_sys::Oid,
    ) -> Option<Vector> {
        if is_null {
            return None;
        }
        // SAFETY: the caller promises a datum of type vector; the bytes are read within its length.
        unsafe {
            let detoasted = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
            let bytes = std::slice::from_raw_parts(detoasted as *const u8, varlena::varsize_any(detoasted));
            let dimensions = usize::from(u16::from_ne_bytes([*bytes.get(4)?, *bytes.get(5)?]));
            let floats = bytes.get(HEADER_BYTES..HEADER_BYTES + 4 * dimensions)?;
            Some(Vector(
                floats.chunks_exact(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect(),
            ))
        }
    }
}

impl IntoDatum for Vector {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        let size = HEADER_BYTES + 4 * self.0.len();
        // SAFETY: `size` bytes are allocated and all of them written.
        unsafe {
            let start = pg_sys::palloc0(size) as *mut u8;
            varlena::set_varsize_4b(start.cast(), size as i32);
            start.add(4).cast::<u16>().write_unaligned(self.0.len() as u16);
            std::ptr::copy_nonoverlapping(
                self.0.as_ptr().cast::<u8>(),
                start.add(HEADER_BYTES),
                4 * self.0.len(),
            );
            Some(pg_sys::Datum::from(start))
        }
    }

    /// Not known at compile time: pgvector's types are bound with [`Pgvector::arg`].
    fn type_oid() -> pg_sys::Oid {
        pg_sys::InvalidOid
    }

    fn is_compatible_with(_other: pg_sys::Oid) -> bool {
        true
    }
}

boundary_type!(Vector, Vector(Vec::new()));

impl Vector {
    /// Checks a vector given by a caller for a column of `dimensions`: 22000 for another size, NaN or infinity, or all
    /// zeros, which have no direction and so no cosine distance.
    pub fn check(&self, dimensions: usize, what: &str) -> Result<()> {
        if self.0.len() != dimensions {
            return Err(Error::bad_vector(format!(
                "{what} has {} dimensions, not {dimensions}",
                self.0.len()
            ))
            .hint("Embed the query with the model of the knowledge base, for example with kb_embed(query, model)."));
        }
        if self.0.iter().any(|x| !x.is_finite()) {
            return Err(Error::bad_vector(format!("{what} contains NaN or infinity")));
        }
        if self.0.iter().all(|&x| x == 0.0) {
            return Err(Error::bad_vector(format!(
                "{what} is a zero vector, which has no cosine similarity"
            )));
        }
        Ok(())
    }
}

/// Where pgvector lives in this database.
pub struct Pgvector {
    /// Its schema, quoted.
    pub schema: String,
    vector: pg_sys::Oid,
    vector_array: pg_sys::Oid,
}

impl Pgvector {
    /// Looks pgvector up. 55000 when it is not installed.
    pub fn find(connection: &Connection) -> Result<Pgvector> {
        connection
            .query_one(include_str!("vector.sql"), Access::Read, &[], |row| {
                Ok(Pgvector {
                    schema: spi::quote_identifier(&row.require::<String>(1)?),
                    vector: row.require(2)?,
                    vector_array: row.require(3)?,
                })
            })?
            .ok_or_else(|| {
                Error::not_ready("the extension vector is not installed").hint("Run CREATE EXTENSION vector.")
            })
    }

    /// Binds one vector.
    pub fn arg(&self, vector: &[f32]) -> Result<spi::Arg> {
        Ok(spi::Arg::from_datum(self.vector, datum(vector)?))
    }

    /// Binds an array of vectors.
    pub fn array_arg(&self, vectors: &[Vec<f32>]) -> Result<spi::Arg> {
        let mut datums = vectors.iter().map(|v| datum(v)).collect::<Result<Vec<_>>>()?;
        // SAFETY: as many datums as told, of a type of variable length that is not passed by value (typlen -1, int
        // alignment, as pgvector declares it).
        let array = unsafe {
            pg_sys::construct_array(
                datums.as_mut_ptr(),
                datums.len() as i32,
                self.vector,
                -1,
                false,
                b'i' as std::ffi::c_char,
            )
        };
        Ok(spi::Arg::from_datum(self.vector_array, pg_sys::Datum::from(array)))
    }
}

fn datum(vector: &[f32]) -> Result<pg_sys::Datum> {
    Vector(vector.to_vec()).into_datum().ok_or_else(|| Error::internal("a vector without a datum"))
}
