//! This process of the server: its variables, its end, and where its files are.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use pgrx::pg_sys;
use pgrx::prelude::*;

/// Its number.
pub fn id() -> i32 {
    // SAFETY: a variable of the process.
    unsafe { pg_sys::MyProcPid }
}

/// The database it is connected to; InvalidOid where there is none.
pub fn database() -> pg_sys::Oid {
    // SAFETY: as above.
    unsafe { pg_sys::MyDatabaseId }
}

/// The name of a database, in a transaction; None for one that does not exist.
pub fn database_name(database: pg_sys::Oid) -> Option<String> {
    // SAFETY: a look-up; the name is a NUL-terminated string in memory of the transaction, or null.
    unsafe {
        let name = pg_sys::get_database_name(database);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}

/// A random number from 0 to 1.
pub fn random() -> f64 {
    // SAFETY: the random state of the process, used by its one thread.
    unsafe { pg_sys::pg_prng_double(&raw mut pg_sys::pg_global_prng_state) }
}

/// Has `callback` called when the process ends, before PostgreSQL's own callback, which ends the transaction.
pub fn before_exit(callback: fn()) {
    // SAFETY: `ends` gets the function that it calls.
    unsafe { pg_sys::before_shmem_exit(Some(ends), pg_sys::Datum::from(callback as *mut c_void)) };
}

/// Has `callback` called when the process ends, which unwinds nothing, after it has left PostgreSQL's shared memory.
pub fn at_exit(callback: fn()) {
    // SAFETY: as above.
    unsafe { pg_sys::on_proc_exit(Some(ends), pg_sys::Datum::from(callback as *mut c_void)) };
}

#[pg_guard]
unsafe extern "C-unwind" fn ends(_code: i32, callback: pg_sys::Datum) {
    // SAFETY: the function that was registered.
    let callback = unsafe { std::mem::transmute::<*mut c_void, fn()>(callback.cast_mut_ptr()) };
    callback();
}

/// PostgreSQL's share directory.
pub fn share_directory() -> PathBuf {
    let mut path = [0 as c_char; pg_sys::MAXPGPATH as usize];
    // SAFETY: my_exec_path is set at server start; the result is NUL-terminated within MAXPGPATH bytes.
    let path = unsafe {
        pg_sys::get_share_path(&raw const pg_sys::my_exec_path as *const _, path.as_mut_ptr());
        CStr::from_ptr(path.as_ptr())
    };
    PathBuf::from(path.to_string_lossy().into_owned())
}

/// The directory of the library that this code is in.
pub fn library_directory() -> Option<PathBuf> {
    Some(library()?.parent().unwrap_or(Path::new("/")).to_path_buf())
}

/// The file of the library that this code is in, as it was loaded.
pub fn library() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: an address in this library, and a place for the answer.
    let found = unsafe { libc::dladdr(library as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: NUL-terminated; the library stays loaded.
    let library = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(library.to_bytes())))
}
