//! Reads the small files of a model directory: regular files only, and never more than a limit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind};

/// The largest JSON file that is read, in bytes. Real files have a few hundred.
const JSON_LIMIT: u64 = 1 << 20;

/// Opens a regular file that is not empty.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    // Checked before opening: opening a named pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(|error| Error::io(path, &error))?;
    if !metadata.is_file() {
        return Err(Error::invalid(path, "not a regular file"));
    }
    if metadata.len() == 0 {
        return Err(Error::invalid(path, "the file is empty"));
    }
    File::open(path).map_err(|error| Error::io(path, &error))
}

/// Reads a file of at most `limit` bytes.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    // One byte more than the limit shows that the file is too long, even if it has grown since it was opened.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::invalid(path, format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a UTF-8 file of at most `limit` bytes.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Error> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|error| {
        Error::invalid(path, format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
    })
}

/// Reads a JSON file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = read_text(path, JSON_LIMIT)?;
    serde_json::from_str(&text).map_err(|error| Error::invalid(path, error.to_string()))
}

/// Reads a JSON file if it exists.
pub(crate) fn read_optional_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match read_json(path) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::Missing => Ok(None),
        Err(error) => Err(error),
    }
}
