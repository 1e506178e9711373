//! SQL statements: the only module that issues them.
//!
//! Statements live in `.sql` files beside the modules that run them; `render` fills in identifiers, values are always
//! bound. Plans are kept for the life of the backend, keyed by their text, so that a search is not parsed again.

mod expected;
mod plan;
mod stream;

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::ops::Range;
use std::ptr;

use kb_rag_core::characters;
use pgrx::prelude::*;
use pgrx::{PgMemoryContexts, pg_sys, varlena};

use crate::error::{Error, Result};
use crate::postgres::citus;

pub use kb_rag_core::statement::render;
pub use plan::Planning;
pub use stream::Slot;

use plan::kept_plan;

/// One bound value: its type and the datum, None for NULL.
#[derive(Clone)]
pub struct Arg {
    oid: pg_sys::Oid,
    datum: Option<pg_sys::Datum>,
}

impl Arg {
    /// A value of a Rust type that pgrx maps to SQL. Must be made inside [`connect`], whose memory it lives in.
    pub fn new<T: IntoDatum>(value: T) -> Arg {
        Arg { oid: T::type_oid(), datum: value.into_datum() }
    }

    /// An already built datum of the type `oid`.
    pub fn from_datum(oid: pg_sys::Oid, datum: pg_sys::Datum) -> Arg {
        Arg { oid, datum: Some(datum) }
    }

    /// NULL of the type `oid`.
    pub fn null(oid: pg_sys::Oid) -> Arg {
        Arg { oid, datum: None }
    }
}

/// Whether a statement may write. Reading statements see the snapshot of the calling query, as a STABLE function must.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Uses the caller's snapshot.
    Read,
    /// Takes a new snapshot that includes what this command did so far.
    Write,
    /// Sees everything committed, and what this command did so far, even in a transaction that keeps an older snapshot.
    Latest,
}

/// Quotes an identifier when it needs it.
pub fn quote_identifier(name: &str) -> String {
    pgrx::spi::quote_identifier(without_nul(name))
}

/// Quotes a string literal.
pub fn quote_literal(value: &str) -> String {
    pgrx::spi::quote_literal(without_nul(value))
}

/// No text of PostgreSQL contains a NUL, but a string decoded from JSON may, and pgrx panics at it. No name contains
/// the character that replaces it.
fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

thread_local! {
    /// How many statements of kb_rag are running, one within the other.
    static STATEMENTS: Cell<u32> = const { Cell::new(0) };
    /// Whether a procedure is connected that may commit.
    static MAY_COMMIT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a statement of kb_rag is running: a function called now may be called by owners' code in it.
pub fn is_in_statement() -> bool {
    STATEMENTS.get() > 0
}

/// Runs a statement.
fn statement<T>(run: impl FnOnce() -> T) -> T {
    struct Ends;
    impl Drop for Ends {
        fn drop(&mut self) {
            STATEMENTS.set(STATEMENTS.get() - 1);
        }
    }
    STATEMENTS.set(STATEMENTS.get() + 1);
    let _ends = Ends;
    run()
}

/// An open SPI connection. Statements are its methods, so that none runs outside.
pub struct Connection(());

/// Runs `work` with an SPI connection. What `work` returns must live in Rust's memory, not in PostgreSQL's.
pub fn connect<T>(work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    // SAFETY: a transaction is open (see the contract in `lookup`). It is paired with SPI_finish below. When an error unwinds past it,
    // PostgreSQL closes the connection at the end of the (sub)transaction.
    unsafe { check(pg_sys::SPI_connect(), "SPI_connect")? };
    let result = work(&Connection(()));
    // SAFETY: connected above.
    unsafe { check(pg_sys::SPI_finish(), "SPI_finish")? };
    result
}

/// Runs `work` in a procedure that commits within: between two of its transactions no connection of [`connect`] is open.
pub fn connect_to_commit<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    struct Ends(bool);
    impl Drop for Ends {
        fn drop(&mut self) {
            MAY_COMMIT.set(self.0);
        }
    }
    // SAFETY: as in `connect`.
    unsafe { check(pg_sys::SPI_connect_ext(pg_sys::SPI_OPT_NONATOMIC as i32), "SPI_connect_ext")? };
    let ends = Ends(MAY_COMMIT.replace(true));
    let result = work();
    drop(ends);
    // SAFETY: connected above.
    unsafe { check(pg_sys::SPI_finish(), "SPI_finish")? };
    result
}

/// Commits the transaction of a procedure and begins another. Only directly within [`connect_to_commit`], with no snapshot
/// pushed.
pub fn commit() -> Result<()> {
    if !MAY_COMMIT.get() {
        return Err(Error::internal("a commit outside of a procedure"));
    }
    // SAFETY: connected. PostgreSQL raises an error where another connection, a subtransaction or a snapshot is open.
    unsafe { pg_sys::SPI_commit() };
    Ok(())
}

fn check(code: i32, what: &str) -> Result<()> {
    if code >= 0 { Ok(()) } else { Err(Error::internal(format!("{what} failed with code {code}"))) }
}

/// One row of a result. Columns count from 1.
pub struct Row<'a> {
    tuple: pg_sys::HeapTuple,
    table: &'a pg_sys::SPITupleTable,
}

impl Row<'_> {
    /// The value of a column, None for NULL. 42804 when the column has another type: owners may alter their tables.
    pub fn get<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<Option<T>> {
        let (oid, datum, is_null) = self.datum::<T>(column)?;
        // SAFETY: a value of this type.
        unsafe {
            if !is_null && ARRAYS.contains(&oid) && has_null_element(datum) {
                return Err(null_in(self.table.tupdesc, column, "has an element that is null"));
            }
            Ok(T::from_datum(datum, is_null))
        }
    }

    /// The type and the value of a column, as stored, and whether it is NULL.
    fn datum<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<(pg_sys::Oid, pg_sys::Datum, bool)> {
        let mut is_null = false;
        // SAFETY: tuple and descriptor belong together; a column that does not exist has type InvalidOid.
        unsafe {
            let oid = pg_sys::SPI_gettypeid(self.table.tupdesc, column);
            if !T::is_compatible_with(oid) {
                return Err(wrong_type(self.table.tupdesc, column, T::type_oid()));
            }
            let datum = pg_sys::SPI_getbinval(self.tuple, self.table.tupdesc, column, &mut is_null);
            Ok((oid, datum, is_null))
        }
    }

    /// These characters of a text, counted from 0, or those of them that it has; None for NULL. Of a compressed text it reads no more
    /// than the bytes up to there. substr() does the same, but counts one character after the other.
    pub fn characters(&self, column: i32, range: &Range<u32>) -> Result<Option<String>> {
        let (_, datum, is_null) = self.datum::<&str>(column)?;
        if is_null {
            return Ok(None);
        }
        let end = range.end as usize;
        // Most texts have one byte for most characters.
        for bytes in [end + 1, end * characters::MAX_BYTES + 1] {
            let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
            // SAFETY: a text, in UTF-8 as every database with kb_rag is; the slice is a copy, which is freed once, after its last use.
            unsafe {
                let slice = pg_sys::pg_detoast_datum_slice(datum.cast_mut_ptr(), 0, bytes);
                let text = std::slice::from_raw_parts(
                    varlena::vardata_any(slice).cast::<u8>(),
                    varlena::varsize_any_exhdr(slice),
                );
                let is_enough = text.len() < bytes as usize || characters::count(text) > end;
                let part =
                    is_enough.then(|| String::from_utf8_lossy(characters::part(text, range)).into_owned());
                pg_sys::pfree(slice.cast());
                if part.is_some() {
                    return Ok(part);
                }
            }
        }
        Err(Error::internal("a text has more bytes than characters can have"))
    }

    /// The value of a column that kb_create or CREATE EXTENSION made NOT NULL. 22004 if it is NULL: an owner may have
    /// dropped the constraint.
    pub fn require<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<T> {
        self.get(column)?.ok_or_else(|| null_in(self.table.tupdesc, column, "is null"))
    }

    /// The value of the column of this name, None for NULL; otherwise as [`get`](Row::get).
    pub fn named<T: FromDatum + IntoDatum>(&self, name: &str) -> Result<Option<T>> {
        self.get(self.number(name)?)
    }

    /// The value of the column of this name; otherwise as [`require`](Row::require).
    pub fn require_named<T: FromDatum + IntoDatum>(&self, name: &str) -> Result<T> {
        self.require(self.number(name)?)
    }

    fn number(&self, name: &str) -> Result<i32> {
        let c_name = c_string(name)?;
        // SAFETY: the descriptor of the result, and a NUL-terminated string.
        let number = unsafe { pg_sys::SPI_fnumber(self.table.tupdesc, c_name.as_ptr()) };
        if number > 0 {
            Ok(number)
        } else {
            Err(Error::internal(format!("a result has no column \"{name}\"")))
        }
    }
}

/// The array types that are read. pgrx panics at a NULL element; kb_rag writes none.
const ARRAYS: [pg_sys::Oid; 4] =
    [pg_sys::TEXTARRAYOID, pg_sys::UUIDARRAYOID, pg_sys::INT4ARRAYOID, pg_sys::FLOAT4ARRAYOID];

/// # Safety
/// The datum must be an array.
unsafe fn has_null_element(datum: pg_sys::Datum) -> bool {
    // SAFETY: promised by the caller; the copy, if one was made, lives in the memory of the row.
    unsafe { pg_sys::array_contains_nulls(pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast()) }
}

/// 22004: a value that kb_rag wrote is missing.
fn null_in(descriptor: pg_sys::TupleDesc, column: i32, what: &str) -> Error {
    // SAFETY: a palloc'd string or null.
    let name = unsafe { text_of(pg_sys::SPI_fname(descriptor, column)) };
    Error::null_value(format!("column \"{name}\" {what}"))
        .hint("Restore the rows and the NOT NULL constraints that kb_rag made.")
}

/// 42804: a column of another type than kb_create gave it.
fn wrong_type(descriptor: pg_sys::TupleDesc, column: i32, expected: pg_sys::Oid) -> Error {
    // SAFETY: both return palloc'd strings or null.
    let (name, expected) = unsafe {
        (text_of(pg_sys::SPI_fname(descriptor, column)), text_of(pg_sys::format_type_be(expected)))
    };
    Error::wrong_type(format!("column \"{name}\" is not of type {expected}"))
        .hint("Restore the columns that kb_create made.")
}

/// A C string as a String; empty for null.
///
/// # Safety
/// Must be null or NUL-terminated.
unsafe fn text_of(text: *const std::ffi::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Connection {
    /// Runs a statement and hands each row to `read`.
    pub fn query<T>(
        &self,
        sql: &str,
        access: Access,
        planning: Planning,
        args: &[Arg],
        mut read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let plan = kept_plan(sql, planning, args)?;
        let (mut datums, nulls) = bind(args);
        // SAFETY: the plan was prepared for these argument types; both arrays have as many entries. PostgreSQL copies the
        // snapshot.
        let code = statement(|| unsafe {
            if access == Access::Latest {
                pg_sys::SPI_execute_snapshot(
                    plan.0,
                    datums.as_mut_ptr(),
                    nulls.as_ptr(),
                    pg_sys::GetLatestSnapshot(),
                    ptr::null_mut(),
                    false,
                    true,
                    0,
                )
            } else {
                let read_only = access == Access::Read;
                pg_sys::SPI_execute_plan(plan.0, datums.as_mut_ptr(), nulls.as_ptr(), read_only, 0)
            }
        });
        check(code, "SPI_execute_plan")?;
        read_rows(&mut read)
    }

    /// Runs a reading statement that gives at most one row.
    pub fn query_one<T>(
        &self,
        sql: &str,
        access: Access,
        args: &[Arg],
        read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, access, Planning::Auto, args, read)?.into_iter().next())
    }

    /// Runs a writing statement; returns how many rows it touched.
    pub fn execute(&self, sql: &str, args: &[Arg]) -> Result<u64> {
        self.execute_planned(sql, Planning::Auto, args)
    }

    /// The same, planned in a given way.
    pub fn execute_planned(&self, sql: &str, planning: Planning, args: &[Arg]) -> Result<u64> {
        let plan = kept_plan(sql, planning, args)?;
        let (mut datums, nulls) = bind(args);
        // SAFETY: as in `query`.
        unsafe {
            check(
                statement(|| pg_sys::SPI_execute_plan(plan.0, datums.as_mut_ptr(), nulls.as_ptr(), false, 0)),
                "SPI_execute_plan",
            )?;
            pg_sys::SPI_freetuptable(pg_sys::SPI_tuptable);
            Ok(pg_sys::SPI_processed)
        }
    }

    /// Runs a writing statement without arguments whose plan is not kept, so that it may name transition tables; returns
    /// how many rows it touched.
    pub fn execute_once(&self, sql: &str) -> Result<u64> {
        let sql = c_string(sql)?;
        // SAFETY: a NUL-terminated string.
        unsafe {
            check(statement(|| pg_sys::SPI_execute(sql.as_ptr(), false, 0)), "SPI_execute")?;
            Ok(pg_sys::SPI_processed)
        }
    }

    /// Runs a reading statement and hands its rows to `read` one by one, in place: none is copied.
    pub fn stream(
        &self,
        sql: &str,
        access: Access,
        planning: Planning,
        args: &[Arg],
        mut read: impl FnMut(&Slot) -> Result<()>,
    ) -> Result<()> {
        let plan = kept_plan(sql, planning, args)?;
        statement(|| stream::run(&plan, access, args, &mut read))
    }

    /// Runs one or more utility statements without arguments, such as CREATE TABLE. Nothing is kept. All statements that create, alter
    /// or drop objects are run here: Citus must not repeat them on other nodes.
    pub fn run(&self, sql: &str) -> Result<()> {
        citus::on_this_node(|| self.execute_once(sql)).map(drop)
    }

    /// Makes the transition tables of the trigger visible to statements of this connection.
    pub fn register_trigger(&self, trigger: &PgTrigger) -> Result<()> {
        let data = std::ptr::from_ref(trigger.trigger_data()).cast_mut();
        // SAFETY: the data of the call in progress, which PostgreSQL only reads.
        check(unsafe { pg_sys::SPI_register_trigger_data(data) }, "SPI_register_trigger_data")
    }

    /// Opens a cursor over a reading statement. The plan is not kept, so it may name transition tables.
    pub fn cursor(&self, sql: &str, args: &[Arg]) -> Result<Cursor> {
        let sql = c_string(sql)?;
        let (mut datums, nulls) = bind(args);
        let mut types: Vec<pg_sys::Oid> = args.iter().map(|arg| arg.oid).collect();
        // SAFETY: all arrays have one entry per argument; the function raises an error rather than return null.
        let portal = statement(|| unsafe {
            pg_sys::SPI_cursor_open_with_args(
                ptr::null(),
                sql.as_ptr(),
                args.len() as i32,
                types.as_mut_ptr(),
                datums.as_mut_ptr(),
                nulls.as_ptr(),
                false,
                0,
            )
        });
        Ok(Cursor(portal))
    }
}

/// A cursor of the connection it was opened on.
pub struct Cursor(pg_sys::Portal);

impl Cursor {
    /// The next rows, at most `count`; none at the end.
    pub fn fetch<T>(&self, count: i64, mut read: impl FnMut(&Row) -> Result<T>) -> Result<Vec<T>> {
        // SAFETY: the portal lives as long as the connection.
        statement(|| unsafe { pg_sys::SPI_cursor_fetch(self.0, true, count as _) });
        read_rows(&mut read)
    }

    /// Closes the cursor; on an error PostgreSQL closes it.
    pub fn close(self) {
        // SAFETY: the portal lives as long as the connection and is closed once.
        unsafe { pg_sys::SPI_cursor_close(self.0) }
    }
}

fn c_string(sql: &str) -> Result<CString> {
    CString::new(sql).map_err(|_| Error::internal("a statement contains a NUL byte"))
}

fn bind(args: &[Arg]) -> (Vec<pg_sys::Datum>, Vec<std::ffi::c_char>) {
    args.iter()
        .map(|arg| match arg.datum {
            Some(datum) => (datum, b' ' as std::ffi::c_char),
            None => (pg_sys::Datum::from(0usize), b'n' as std::ffi::c_char),
        })
        .unzip()
}

fn read_rows<T>(read: &mut impl FnMut(&Row) -> Result<T>) -> Result<Vec<T>> {
    // SAFETY: SPI_tuptable is null or the table of the statement just run; it is freed once, after the last use. The
    // rows are read in a context of their own, because reading a datum may allocate (detoasting).
    unsafe {
        let Some(table) = pg_sys::SPI_tuptable.as_ref() else {
            return Ok(Vec::new());
        };
        let mut scratch = PgMemoryContexts::new("kb_rag row");
        let rows = scratch.switch_to(|_| {
            (0..table.numvals as usize)
                .map(|index| read(&Row { tuple: *table.vals.add(index), table }))
                .collect::<Result<Vec<T>>>()
        });
        pg_sys::SPI_freetuptable(pg_sys::SPI_tuptable);
        rows
    }
}
