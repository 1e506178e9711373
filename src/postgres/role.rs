//! Roles: acting as another one, and which one has the privileges of which.

use std::ffi::CString;

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::{limit, lookup};

/// Runs `work` as the role `owner`, in a security-restricted context: malicious code on the owner's tables runs with
/// the owner's privileges and cannot become another role. Row security that the owner forces on itself is ignored, as
/// for PostgreSQL's own foreign keys, because a chunk skipped silently would be lost. In workers, and in CALL kb_work()
/// of another role, that code has limited time.
pub fn run_as<T>(owner: pg_sys::Oid, work: impl FnOnce() -> Result<T>) -> Result<T> {
    limit::of_role(owner, || switch_to(owner, work))
}

/// The same without a limit of time.
pub fn switch_to<T>(owner: pg_sys::Oid, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let switched = Switched::begin(owner);
    let result = work();
    switched.end();
    result
}

/// Another role than the caller's. Where an error unwinds, the end of the (sub)transaction restores the caller's.
struct Switched {
    _session_goes_on: guc::KeepTransactionTimeout,
    caller: pg_sys::Oid,
    context: i32,
    pinned: guc::Pinned,
}

impl Switched {
    #[inline(never)]
    fn begin(owner: pg_sys::Oid) -> Switched {
        let session_goes_on = guc::KeepTransactionTimeout::begin();
        let mut caller = pg_sys::InvalidOid;
        let mut context = 0;
        let restricted = pg_sys::SECURITY_LOCAL_USERID_CHANGE
            | pg_sys::SECURITY_RESTRICTED_OPERATION
            | pg_sys::SECURITY_NOFORCE_RLS;
        // SAFETY: the pair is restored by `end`, or by the end of the (sub)transaction.
        unsafe {
            pg_sys::GetUserIdAndSecContext(&mut caller, &mut context);
            pg_sys::SetUserIdAndSecContext(owner, context | restricted as i32);
        }
        Switched { _session_goes_on: session_goes_on, caller, context, pinned: guc::Pinned::begin(&[]) }
    }

    #[inline(never)]
    fn end(self) {
        self.pinned.end();
        // SAFETY: the values that `begin` read.
        unsafe { pg_sys::SetUserIdAndSecContext(self.caller, self.context) };
    }
}

/// The role whose privileges apply now: the current role.
pub fn current_role() -> pg_sys::Oid {
    // SAFETY: reads a variable of this process.
    unsafe { pg_sys::GetUserId() }
}

/// The role of this name.
pub fn find(name: &str) -> Option<pg_sys::Oid> {
    let name = CString::new(name).ok()?;
    // SAFETY: a look-up.
    lookup::existing(unsafe { pg_sys::get_role_oid(name.as_ptr(), true) })
}

/// Whether code of another role runs now, such as that of a table's owner: see [`run_as`].
pub fn is_restricted() -> bool {
    // SAFETY: reads a variable of this process.
    unsafe { pg_sys::InSecurityRestrictedOperation() }
}

/// The name of a role. 42704 when it has just been dropped.
pub fn role_name(role: pg_sys::Oid) -> Result<String> {
    // SAFETY: a look-up that returns a palloc'd string.
    unsafe { lookup::owned(pg_sys::GetUserNameFromId(role, true)) }
        .ok_or_else(|| Error::not_found(format!("role {} does not exist", role.to_u32())))
}

/// Whether a role is a superuser.
pub fn is_superuser(role: pg_sys::Oid) -> bool {
    // SAFETY: a look-up.
    unsafe { pg_sys::superuser_arg(role) }
}

/// Whether row security never applies to a role: it is a superuser or has BYPASSRLS.
pub fn bypasses_row_security(role: pg_sys::Oid) -> bool {
    // SAFETY: a look-up.
    unsafe { pg_sys::has_bypassrls_privilege(role) }
}

/// PostgreSQL's role whose members see the statistics of all databases.
pub const PG_READ_ALL_STATS: pg_sys::Oid = pg_sys::Oid::from_u32(pg_sys::ROLE_PG_READ_ALL_STATS);

/// Whether the current role has the privileges of `role`: it is that role, a member of it or a superuser.
pub fn has_privileges_of(role: pg_sys::Oid) -> bool {
    has_privileges(current_role(), role)
}

/// The same for another role.
pub fn has_privileges(role: pg_sys::Oid, of: pg_sys::Oid) -> bool {
    // SAFETY: a look-up.
    unsafe { pg_sys::has_privs_of_role(role, of) }
}

/// The same where `of` is a name. Only superusers have the privileges of a role that does not exist.
pub fn has_privileges_of_named(role: pg_sys::Oid, of: &str) -> bool {
    find(of).map_or_else(|| is_superuser(role), |of| has_privileges(role, of))
}

/// Whether `role` is `of` or a member of it, directly or through others. A superuser is a member only of the roles
/// granted to it.
pub fn is_member(role: pg_sys::Oid, of: pg_sys::Oid) -> bool {
    // SAFETY: a look-up.
    unsafe { pg_sys::is_member_of_role_nosuper(role, of) }
}
