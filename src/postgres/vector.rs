//! pgvector's types at the boundary: `vector` values in and out, and pgvector's schema.

use std::cell::Cell;

use kb_rag_core::plural::counted;
use pgrx::prelude::*;
use pgrx::{pg_sys, varlena};

use crate::error::{Error, Result, raise};
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg};

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

    fn type_oid() -> pg_sys::Oid {
        Pgvector::find().map_or(pg_sys::InvalidOid, |pgvector| pgvector.vector)
    }

    fn is_compatible_with(other: pg_sys::Oid) -> bool {
        Pgvector::find().is_ok_and(|pgvector| pgvector.vector == other)
    }
}

/// 42804 unless `found` is pgvector's `vector`. Functions are declared with a type of that name; where another type of
/// that name was found at installation, its values are not vectors.
fn require_vector(found: pg_sys::Oid, what: &str) -> Result<()> {
    if found != pg_sys::InvalidOid && found == Pgvector::find()?.vector {
        return Ok(());
    }
    Err(Error::wrong_type(format!("{what} is not of the type vector of the extension vector"))
        .hint("Create the extension kb_rag again, in a schema without a type named vector."))
}

/// The same of a column of the rows that a function returns, counted from 0.
pub fn require_vector_column(fcinfo: pg_sys::FunctionCallInfo, column: usize) -> Result<()> {
    let mut row = std::ptr::null_mut();
    // SAFETY: the call in progress; a descriptor has as many attributes as it says.
    let found = unsafe {
        let class = pg_sys::get_call_result_type(fcinfo, std::ptr::null_mut(), &mut row);
        let is_row = class == pg_sys::TypeFuncClass::TYPEFUNC_COMPOSITE && !row.is_null();
        if is_row && column < (*row).natts as usize {
            pg_sys::SPI_gettypeid(row, column as i32 + 1)
        } else {
            pg_sys::InvalidOid
        }
    };
    require_vector(found, &format!("column {} of the result", column + 1))
}

// SAFETY: the datum is made by `into_datum`, and the function is declared to return the type it is of.
unsafe impl pgrx::callconv::BoxRet for Vector {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut pgrx::callconv::FcInfo<'fcx>) -> pgrx::datum::Datum<'fcx> {
        // SAFETY: the call in progress.
        let declared = unsafe { pg_sys::get_fn_expr_rettype((*fcinfo.as_mut_ptr()).flinfo) };
        raise(require_vector(declared, "the result"));
        match self.into_datum() {
            // SAFETY: a freshly allocated value.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

// SAFETY: reads an argument whose type is pgvector's, and no other.
unsafe impl<'fcx> pgrx::callconv::ArgAbi<'fcx> for Vector {
    unsafe fn unbox_arg_unchecked(arg: pgrx::callconv::Arg<'_, 'fcx>) -> Self {
        raise(require_vector(arg.raw_oid(), &format!("argument {}", arg.index() + 1)));
        // SAFETY: pgrx calls this for arguments that are not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(Vector(Vec::new()))
    }
}

impl Vector {
    /// Checks a vector given by a caller for a column of `dimensions`: 22000 for another size, NaN or infinity, or all
    /// zeros, which have no direction and so no cosine distance.
    pub fn check(&self, dimensions: usize, what: &str) -> Result<()> {
        if self.0.len() != dimensions {
            return Err(Error::bad_vector(format!(
                "{what} has {}, not {dimensions}",
                counted(self.0.len(), "dimension")
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

/// The types of pgvector that embeddings are stored as.
#[derive(Clone, Copy)]
struct Types {
    vector: pg_sys::Oid,
    halfvec: pg_sys::Oid,
}

thread_local! {
    /// The extension's OID and its types, which are the same as long as it is installed.
    static FOUND: Cell<Option<(pg_sys::Oid, Types)>> = const { Cell::new(None) };
}

/// The types that belong to the extension; types of other owners may have the same names. None where it lacks one of them.
fn find_types(extension: pg_sys::Oid) -> Option<Types> {
    let find = |name| lookup::types_of_extension(name, extension).first().copied();
    Some(Types { vector: find(c"vector")?, halfvec: find(c"halfvec")? })
}

/// Where pgvector is installed in this database.
pub struct Pgvector {
    /// Its schema, quoted.
    pub schema: String,
    /// The type `vector`.
    pub vector: pg_sys::Oid,
    vector_array: pg_sys::Oid,
    halfvec: pg_sys::Oid,
}

impl Pgvector {
    /// Looks pgvector up. 55000 when it is not installed.
    pub fn find() -> Result<Pgvector> {
        let missing =
            || Error::not_ready("the extension vector is not installed").hint("Run CREATE EXTENSION vector.");
        let extension = lookup::extension(c"vector").ok_or_else(missing)?;
        let Types { vector, halfvec } = match FOUND.get().filter(|(of, _)| *of == extension) {
            Some((_, types)) => types,
            None => {
                let types = find_types(extension).ok_or_else(missing)?;
                FOUND.set(Some((extension, types)));
                types
            }
        };
        let namespace = lookup::with_type(vector, |row| row.typnamespace).ok_or_else(missing)?;
        Ok(Pgvector {
            schema: spi::quote_identifier(&lookup::schema_name(namespace)?),
            vector,
            // SAFETY: a look-up by OID.
            vector_array: unsafe { pg_sys::get_array_type(vector) },
            halfvec,
        })
    }

    /// Its version in this database, as CREATE or ALTER EXTENSION set it.
    pub fn version() -> Result<Option<String>> {
        let Some(extension) = lookup::extension(c"vector") else { return Ok(None) };
        guc::with_settings(&[], || {
            let statement = include_str!("vector_version.sql");
            spi::connect(|c| {
                c.query_one(statement, Access::Read, &[Arg::new(extension)], |row| row.require(1))
            })
        })
    }

    /// Whether a type is one that embeddings are stored as.
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
        // SAFETY: the array has the given length; its type has variable length and is not passed by value (typlen -1,
        // int alignment, as pgvector declares it).
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
