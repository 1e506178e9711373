//! Configuration parameters (`kb_rag.*`): the only module that reads them.

use std::ffi::{CStr, CString};
use std::path::PathBuf;

use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting, pg_sys};

static MODEL_PATH: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));

/// Defines the parameters; called once when the library is loaded.
pub fn define() {
    GucRegistry::define_string_guc(
        c"kb_rag.model_path",
        c"Directory that holds the local models, one directory each.",
        c"Empty means kb_rag/models in PostgreSQL's share directory.",
        &MODEL_PATH,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
    // A misspelt parameter is an error, not a setting that nobody reads.
    // SAFETY: a NUL-terminated string; called while the library is loaded.
    unsafe { pg_sys::MarkGUCPrefixReserved(c"kb_rag".as_ptr()) };
}

/// The directory of the local models.
pub fn model_path() -> PathBuf {
    match MODEL_PATH.get() {
        Some(path) if !path.is_empty() => PathBuf::from(path.to_string_lossy().into_owned()),
        _ => share_directory().join("kb_rag").join("models"),
    }
}

fn share_directory() -> PathBuf {
    let mut path = [0 as std::ffi::c_char; pg_sys::MAXPGPATH as usize];
    // SAFETY: my_exec_path is set at server start; the result is NUL-terminated within MAXPGPATH bytes.
    let path = unsafe {
        pg_sys::get_share_path(&raw const pg_sys::my_exec_path as *const _, path.as_mut_ptr());
        CStr::from_ptr(path.as_ptr())
    };
    PathBuf::from(path.to_string_lossy().into_owned())
}
