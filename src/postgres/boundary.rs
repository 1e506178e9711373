//! The traits that pgrx requires before a function can take or return one of kb_rag's own types.

/// Lets functions take and return a type that implements `FromDatum` and `IntoDatum`. `$empty` replaces a malformed
/// datum; pgrx calls this only for arguments that are not null.
#[macro_export]
macro_rules! boundary_type {
    ($type:ty, $empty:expr) => {
        // SAFETY: the datum is made by `into_datum`, which makes a value of the declared SQL type.
        unsafe impl pgrx::callconv::BoxRet for $type {
            unsafe fn box_into<'fcx>(
                self,
                fcinfo: &mut pgrx::callconv::FcInfo<'fcx>,
            ) -> pgrx::datum::Datum<'fcx> {
                match pgrx::IntoDatum::into_datum(self) {
                    // SAFETY: a freshly allocated value.
                    Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
                    None => fcinfo.return_null(),
                }
            }
        }

        // SAFETY: reads an argument of the declared SQL type as `from_datum` does.
        unsafe impl<'fcx> pgrx::callconv::ArgAbi<'fcx> for $type {
            unsafe fn unbox_arg_unchecked(arg: pgrx::callconv::Arg<'_, 'fcx>) -> Self {
                // SAFETY: pgrx calls this for arguments that are not null.
                unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or($empty)
            }
        }
    };
}
