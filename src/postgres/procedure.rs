//! Procedures, which learn from PostgreSQL whether they may commit.

use pgrx::FromDatum;
use pgrx::pg_sys;

/// Defines the C functions of a procedure with one argument: `$wrapper` and its `$info`. They call `$run` with the argument, of the
/// type `$argument` of Rust, None for NULL, and with whether the call is atomic: within a transaction block, or a statement that is
/// no CALL.
macro_rules! procedure {
    ($wrapper:ident, $info:ident, $argument:ty, $run:path) => {
        /// Tells PostgreSQL how to call the function below.
        #[unsafe(no_mangle)]
        pub extern "C-unwind" fn $info() -> *const pgrx::pg_sys::Pg_finfo_record {
            const RECORD: pgrx::pg_sys::Pg_finfo_record = pgrx::pg_sys::Pg_finfo_record { api_version: 1 };
            &RECORD
        }

        /// The procedure.
        #[pgrx::pg_guard]
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $wrapper(
            call: pgrx::pg_sys::FunctionCallInfo,
        ) -> pgrx::pg_sys::Datum {
            // SAFETY: PostgreSQL calls it with one argument, of the type with which the procedure is created.
            let (argument, is_atomic) = unsafe { $crate::postgres::procedure::read::<$argument>(call) };
            $run(argument, is_atomic);
            pgrx::pg_sys::Datum::from(0usize)
        }
    };
}
pub(crate) use procedure;

/// The argument of a call, and whether it is atomic.
///
/// # Safety
/// A call by PostgreSQL, with one argument, of the type of SQL that `T` maps.
pub unsafe fn read<T: FromDatum>(call: pg_sys::FunctionCallInfo) -> (Option<T>, bool) {
    // SAFETY: promised by the caller; the context is that of a CALL, if there is one of this type.
    unsafe {
        let argument = &*(*call).args.as_slice(1).as_ptr();
        let context = (*call).context as *const pg_sys::CallContext;
        let is_call = !context.is_null() && (*context).type_ == pg_sys::NodeTag::T_CallContext;
        (T::from_datum(argument.value, argument.isnull), !is_call || (*context).atomic)
    }
}
