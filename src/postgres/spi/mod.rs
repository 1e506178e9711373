//! SQL statements: the only module that issues them.
//!
//! Statements live in `.sql` files beside the modules that run them; `render` fills in identifiers, values are always
//! bound. Plans are kept for the life of the backend, keyed by their text, so that a search is not parsed again.

mod expected;
mod plan;
mod row;
mod stream;

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::CString;
use std::ptr;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::{Error, Result};
use crate::postgres::citus;

pub use kb_rag_core::statement::render;
pub use plan::Planning;
pub use row::Row;
pub use stream::Slot;

use plan::kept_plan;
use row::read_rows;

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
    statements() > 0
}

/// How many statements of kb_rag are running, one within the other.
pub fn statements() -> u32 {
    STATEMENTS.get()
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
    begin(0)?;
    let result = work(&Connection(()));
    finish()?;
    result
}

/// Opens a connection with the options SPI_OPT_… .
#[inline(never)]
fn begin(options: u32) -> Result<()> {
    // SAFETY: a transaction is open (see the contract in `lookup`). It is paired with `finish`. When an error unwinds past the work,
    // PostgreSQL closes the connection at the end of the (sub)transaction.
    check(unsafe { pg_sys::SPI_connect_ext(options as i32) }, "SPI_connect")
}

#[inline(never)]
fn finish() -> Result<()> {
    // SAFETY: closes the connection that `begin` opened.
    check(unsafe { pg_sys::SPI_finish() }, "SPI_finish")
}

/// Runs `work` in a procedure that commits within: between two of its transactions no connection of [`connect`] is open.
pub fn connect_to_commit<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    struct Ends(bool);
    impl Drop for Ends {
        fn drop(&mut self) {
            MAY_COMMIT.set(self.0);
        }
    }
    begin(pg_sys::SPI_OPT_NONATOMIC)?;
    let ends = Ends(MAY_COMMIT.replace(true));
    let result = work();
    drop(ends);
    finish()?;
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
        let mut rows = Vec::new();
        self.for_each(sql, access, planning, args, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The same for rows that `read` keeps itself. Not generic, as [`query`](Connection::query) is compiled once for each `read`.
    fn for_each(
        &self,
        sql: &str,
        access: Access,
        planning: Planning,
        args: &[Arg],
        read: &mut dyn FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
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
        read_rows(read)
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
        let mut rows = Vec::new();
        self.for_each(count, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    fn for_each(&self, count: i64, read: &mut dyn FnMut(&Row) -> Result<()>) -> Result<()> {
        // SAFETY: the portal lives as long as the connection.
        statement(|| unsafe { pg_sys::SPI_cursor_fetch(self.0, true, count as _) });
        read_rows(read)
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
