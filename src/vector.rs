//! pgvector's types at the boundary: `vector` values in and out, and where pgvector lives.

use std::cell::Cell;
use std::ffi::CStr;

use pgrx::prelude::*;
use pgrx::{pg_sys, varlena};

use crate::boundary_type;
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};

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

thread_local! {
    /// The extension's OID and that of its type `vector`, which are the same as long as it is installed.
    static FOUND: Cell<Option<(pg_sys::Oid, pg_sys::Oid)>> = const { Cell::new(None) };
}

fn find_type(extension: pg_sys::Oid) -> Result<Option<pg_sys::Oid>> {
    spi::connect(|c| {
        c.query_one(include_str!("vector.sql"), Access::Read, &[Arg::new(extension)], |row| row.require(1))
    })
}

/// The schema of a type; None when it does not exist.
fn namespace_of(oid: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: a syscache look-up by OID; the tuple is released after its one use.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::TYPEOID as i32, oid.into());
        if tuple.is_null() {
            return None;
        }
        let namespace = (*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_type>()).typnamespace;
        pg_sys::ReleaseSysCache(tuple);
        Some(namespace)
    }
}

/// Where pgvector lives in this database.
pub struct Pgvector {
    /// Its schema, quoted.
    pub schema: String,
    vector: pg_sys::Oid,
    vector_array: pg_sys::Oid,
    halfvec: pg_sys::Oid,
}

/// The type of this name in a schema.
fn type_named(name: &CStr, namespace: pg_sys::Oid) -> Option<pg_sys::Oid> {
    let none = pg_sys::Datum::from(0usize);
    // SAFETY: a look-up by name and schema, of the first column of pg_type; InvalidOid when missing.
    let oid = unsafe {
        pg_sys::GetSysCacheOid(
            pg_sys::SysCacheIdentifier::TYPENAMENSP as i32,
            pg_sys::Anum_pg_type_oid as _,
            pg_sys::Datum::from(name.as_ptr()),
            pg_sys::Datum::from(namespace),
            none,
            none,
        )
    };
    (oid != pg_sys::InvalidOid).then_some(oid)
}

impl Pgvector {
    /// Looks pgvector up. 55000 when it is not installed.
    pub fn find() -> Result<Pgvector> {
        let missing =
            || Error::not_ready("the extension vector is not installed").hint("Run CREATE EXTENSION vector.");
        // SAFETY: a look-up by name; InvalidOid when missing.
        let extension = unsafe { pg_sys::get_extension_oid(c"vector".as_ptr(), true) };
        if extension == pg_sys::InvalidOid {
            return Err(missing());
        }
        let vector = match FOUND.get().filter(|(of, _)| *of == extension) {
            Some((_, vector)) => vector,
            None => {
                let vector = find_type(extension)?.ok_or_else(missing)?;
                FOUND.set(Some((extension, vector)));
                vector
            }
        };
        let namespace = namespace_of(vector).ok_or_else(missing)?;
        Ok(Pgvector {
            schema: spi::quote_identifier(&role::schema_name(namespace)?),
            vector,
            // SAFETY: a look-up by OID.
            vector_array: unsafe { pg_sys::get_array_type(vector) },
            halfvec: type_named(c"halfvec", namespace).ok_or_else(missing)?,
        })
    }

    /// Whether a type is one of those that embeddings are stored as.
    pub fn has_type(&self, oid: pg_sys::Oid) -> bool {
        oid == self.vector || oid == self.halfvec
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
