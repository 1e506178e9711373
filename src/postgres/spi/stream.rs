//! Rows passed on as the executor finds them, without a copy.

use kb_rag_core::tsvector::TsVector;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::plan::Plan;
use super::row::{null_in, wrong_type};
use super::{Access, Arg, check};
use crate::error::{Error, Result};
use crate::postgres::tsvector;

/// A row in the executor's memory. Columns count from 1.
pub struct Slot(*mut pg_sys::TupleTableSlot);

impl Slot {
    /// The row that is in a slot now.
    ///
    /// # Safety
    /// The slot must have a descriptor, and live as long as this; it must hold a row whenever a value is read.
    pub unsafe fn from_raw(slot: *mut pg_sys::TupleTableSlot) -> Slot {
        Slot(slot)
    }

    /// The value of a column that kb_create made NOT NULL; not an array. 42804 when the column has another type, 22004
    /// if it is NULL.
    pub fn require<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<T> {
        // SAFETY: the type is checked before the datum is read; the slot has a descriptor.
        unsafe {
            let datum = self.datum(column, T::type_oid())?;
            datum
                .and_then(|datum| T::from_datum(datum, false))
                .ok_or_else(|| null_in((*self.0).tts_tupleDescriptor, column, "is null"))
        }
    }

    /// The value of a column, None for NULL; otherwise as [`require`](Slot::require).
    pub fn get<T: FromDatum + IntoDatum>(&self, column: i32) -> Result<Option<T>> {
        // SAFETY: the type is checked before the datum is read.
        Ok(self.datum(column, T::type_oid())?.and_then(|datum| unsafe { T::from_datum(datum, false) }))
    }

    /// The size in bytes of the text in a column, without reading it; 0 for NULL. 42804 for another type.
    pub fn text_bytes(&self, column: i32) -> Result<usize> {
        // SAFETY: the type was checked, and its values have a header that tells their size.
        let size = |datum| unsafe { pg_sys::toast_raw_datum_size(datum) };
        let found = self.datum(column, pg_sys::TEXTOID)?;
        Ok(found.map_or(0, |datum| size(datum).saturating_sub(pg_sys::VARHDRSZ)))
    }

    /// Passes the tsvector of a column to `work`, without a copy. Does nothing for NULL. 42804 for another type.
    pub fn with_tsvector(&self, column: i32, work: impl FnOnce(&TsVector)) -> Result<()> {
        match self.datum(column, pg_sys::TSVECTOROID)? {
            // SAFETY: the type was checked.
            Some(datum) => unsafe { tsvector::read(datum, work) },
            None => Ok(()),
        }
    }

    fn datum(&self, column: i32, expected: pg_sys::Oid) -> Result<Option<pg_sys::Datum>> {
        // SAFETY: the slot holds a row of its descriptor; a column that does not exist has type InvalidOid. Once a
        // column is deformed, the values of all columns before it are there too.
        unsafe {
            let slot = &mut *self.0;
            if pg_sys::SPI_gettypeid(slot.tts_tupleDescriptor, column) != expected {
                return Err(wrong_type(slot.tts_tupleDescriptor, column, expected));
            }
            if i32::from(slot.tts_nvalid) < column {
                pg_sys::slot_getsomeattrs_int(slot, column);
            }
            let index = column as usize - 1;
            Ok((!*slot.tts_isnull.add(index)).then(|| *slot.tts_values.add(index)))
        }
    }
}

/// The receiver of the rows. PostgreSQL knows only its first field.
#[repr(C)]
struct Receiver<'a> {
    head: pg_sys::DestReceiver,
    read: &'a mut dyn FnMut(&Slot) -> Result<()>,
    failed: Option<Error>,
}

#[pg_guard]
unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    receiver: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: PostgreSQL passes back the receiver that `run` made, which begins with its head.
    let receiver = unsafe { &mut *receiver.cast::<Receiver>() };
    receiver.failed = (receiver.read)(&Slot(slot)).err();
    receiver.failed.is_none()
}

#[pg_guard]
unsafe extern "C-unwind" fn start(
    _receiver: *mut pg_sys::DestReceiver,
    _operation: i32,
    _row: pg_sys::TupleDesc,
) {
}

#[pg_guard]
unsafe extern "C-unwind" fn end(_receiver: *mut pg_sys::DestReceiver) {}

/// Runs a plan and hands each row to `read`; the first error of `read` ends it.
pub fn run(
    plan: &Plan,
    access: Access,
    args: &[Arg],
    read: &mut dyn FnMut(&Slot) -> Result<()>,
) -> Result<()> {
    let head = pg_sys::DestReceiver {
        receiveSlot: Some(receive),
        rStartup: Some(start),
        rShutdown: Some(end),
        rDestroy: Some(end),
        mydest: pg_sys::CommandDest::DestNone,
    };
    let mut receiver = Receiver { head, read, failed: None };
    let options = pg_sys::SPIExecuteOptions {
        params: parameters(args),
        read_only: access == Access::Read,
        dest: (&raw mut receiver).cast(),
        ..Default::default()
    };
    // SAFETY: the plan was prepared for these arguments; the receiver outlives the call.
    check(unsafe { pg_sys::SPI_execute_plan_extended(plan.0, &options) }, "SPI_execute_plan_extended")?;
    receiver.failed.map_or(Ok(()), Err)
}

/// NULL if there are none, as PostgreSQL itself passes it: other extensions that plan statements, such as Citus, copy
/// the list.
pub fn parameters(args: &[Arg]) -> pg_sys::ParamListInfo {
    if args.is_empty() {
        return std::ptr::null_mut();
    }
    // SAFETY: the list has room for all parameters that are written.
    unsafe {
        let list = pg_sys::makeParamList(args.len() as i32);
        let parameters = (*list).params.as_mut_ptr();
        for (index, arg) in args.iter().enumerate() {
            parameters.add(index).write(pg_sys::ParamExternData {
                value: arg.datum.unwrap_or(pg_sys::Datum::from(0usize)),
                isnull: arg.datum.is_none(),
                pflags: pg_sys::PARAM_FLAG_CONST as u16,
                ptype: arg.oid,
            });
        }
        list
    }
}
