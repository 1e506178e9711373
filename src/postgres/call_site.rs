//! What a function keeps at one place of a statement while that runs.

use pgrx::{PgMemoryContexts, pg_sys};

/// What the call of a function in a statement has kept; made by its first call, and dropped with the statement. None where
/// PostgreSQL does not tell the place.
/// A function always keeps the same type.
pub fn kept<'a, T: Default>(call: pg_sys::FunctionCallInfo) -> Option<&'a T> {
    // SAFETY: the argument of the call in progress. What `fn_extra` points to is of the type, and lives as long as `fn_mcxt`.
    unsafe {
        let place = call.as_ref()?.flinfo.as_mut()?;
        if place.fn_extra.is_null() {
            let kept = PgMemoryContexts::For(place.fn_mcxt).leak_and_drop_on_delete(T::default());
            place.fn_extra = kept.cast();
        }
        place.fn_extra.cast::<T>().as_ref()
    }
}
