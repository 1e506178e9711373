//! The call of a function of SQL, to make the same call elsewhere.

use std::ffi::CStr;
use std::marker::PhantomData;

use pgrx::callconv::{Arg as BoundaryArg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{PgList, pg_sys};

use crate::postgres::lookup;
use crate::postgres::spi::Arg;

/// A call in progress. As an argument of a function it is none in SQL.
pub struct Call<'fcx>(pg_sys::FunctionCallInfo, PhantomData<&'fcx ()>);

// SAFETY: it takes no place among the arguments.
unsafe impl<'fcx> ArgAbi<'fcx> for Call<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: BoundaryArg<'_, 'fcx>) -> Self {
        // SAFETY: as the caller promises.
        Call(unsafe { pg_sys::FunctionCallInfo::unbox_arg_unchecked(arg) }, PhantomData)
    }

    fn is_virtual_arg() -> bool {
        true
    }
}

// SAFETY: it is no argument in SQL.
unsafe impl SqlTranslatable for Call<'_> {
    const TYPE_IDENT: &'static str = "kb_rag::postgres::call::Call";
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::Skip);
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::Skip));
}

/// A function that was called, and the arguments it was given.
pub struct Function {
    pub schema: String,
    pub name: String,
    /// Whether it returns rows.
    pub returns_set: bool,
    /// Whether it may write.
    pub is_volatile: bool,
    /// Their names and values: none that is NULL or has the value of its default.
    pub arguments: Vec<(String, Arg)>,
}

impl Call<'_> {
    /// The call of a function of another version, which is not made elsewhere.
    pub fn none() -> Self {
        Call(std::ptr::null_mut(), PhantomData)
    }

    /// The function, as the catalog has it. None for [`Call::none`].
    pub fn function(&self) -> Option<Function> {
        // SAFETY: null or the call in progress, whose arguments stay as they are while it lives.
        unsafe {
            let call = self.0.as_ref()?;
            let oid = call.flinfo.as_ref()?.fn_oid;
            let values = call.args.as_slice(usize::try_from(call.nargs).ok()?);
            lookup::with_row(pg_sys::SysCacheIdentifier::PROCOID, oid, |row| function_of(row, values))?
        }
    }
}

/// # Safety
/// The row is one of pg_proc, and the values are arguments of that function.
unsafe fn function_of(row: &pg_sys::HeapTupleData, values: &[pg_sys::NullableDatum]) -> Option<Function> {
    let tuple = std::ptr::from_ref(row).cast_mut();
    let (mut types, mut names, mut modes) =
        (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: promised by the caller. The arrays have an entry for each argument, those that are given first; the names are
    // palloc'd.
    unsafe {
        let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_proc>().as_ref()?;
        pg_sys::get_func_arg_info(tuple, &mut types, &mut names, &mut modes);
        if names.is_null() && !values.is_empty() {
            return None;
        }
        let defaults = defaults_of(tuple);
        let first = values.len().checked_sub(defaults.len())?;
        let mut arguments = Vec::new();
        for (number, value) in values.iter().enumerate() {
            let default = number.checked_sub(first).and_then(|place| defaults.get(place));
            if value.isnull || default.is_some_and(|default| is_same(value, *default)) {
                continue;
            }
            let name = lookup::owned(*names.add(number))?;
            arguments.push((name, Arg::from_datum(*types.add(number), value.value)));
        }
        Some(Function {
            schema: lookup::owned(pg_sys::get_namespace_name(form.pronamespace))?,
            name: CStr::from_ptr(form.proname.data.as_ptr()).to_string_lossy().into_owned(),
            returns_set: form.proretset,
            is_volatile: form.provolatile as u8 == pg_sys::PROVOLATILE_VOLATILE,
            arguments,
        })
    }
}

/// The defaults of the last arguments of a function; null for one that is no constant.
///
/// # Safety
/// The row is one of pg_proc.
unsafe fn defaults_of(row: pg_sys::HeapTuple) -> Vec<*mut pg_sys::Const> {
    let mut is_null = false;
    // SAFETY: promised by the caller; the column holds a list of expressions as text.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let column = pg_sys::Anum_pg_proc_proargdefaults as pg_sys::AttrNumber;
        let datum = pg_sys::SysCacheGetAttr(cache, row, column, &mut is_null);
        if is_null {
            return Vec::new();
        }
        let text = pg_sys::text_to_cstring(datum.cast_mut_ptr());
        let list = PgList::<pg_sys::Node>::from_pg(pg_sys::stringToNode(text).cast());
        let constant = |node| {
            let node = pg_sys::eval_const_expressions(std::ptr::null_mut(), node);
            if pgrx::is_a(node, pg_sys::NodeTag::T_Const) { node.cast() } else { std::ptr::null_mut() }
        };
        list.iter_ptr().map(constant).collect()
    }
}

/// Whether a value is that of a default.
///
/// # Safety
/// The default is null or a constant of the type of the value, which is not NULL.
unsafe fn is_same(value: &pg_sys::NullableDatum, default: *mut pg_sys::Const) -> bool {
    // SAFETY: promised by the caller. A value that is stored in another way is taken as another one.
    unsafe {
        default.as_ref().is_some_and(|default| {
            let mut given = *default;
            given.constvalue = value.value;
            given.constisnull = false;
            pg_sys::equal((&raw const given).cast(), std::ptr::from_ref(default).cast())
        })
    }
}
