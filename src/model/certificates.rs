//! Certificates that are trusted for providers, in addition to Mozilla's.

use std::rc::Rc;

use crate::error::{Error, Result};
use crate::settings;

/// A larger file is not a file of certificates.
const MAX_BYTES: u64 = 16 << 20;

/// The contents of `kb_rag.ca_file`; None where it is not set.
pub fn certificates() -> Result<Option<Rc<Vec<u8>>>> {
    let Some(path) = settings::ca_file() else { return Ok(None) };
    let read = || {
        let about = std::fs::metadata(&path)?;
        if !about.is_file() || about.len() > MAX_BYTES {
            return Err(std::io::Error::other("not a regular file of at most 16 MB"));
        }
        std::fs::read(&path)
    };
    read().map(|pem| Some(Rc::new(pem))).map_err(|error| {
        Error::not_ready("the file of kb_rag.ca_file cannot be read").detail(error.to_string())
    })
}
