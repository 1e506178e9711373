//! Identifies the weights from which quantized weights were made.
//!
//! Reading 90 MB of weights to compare a checksum would cost every process far more than opening the model.
//! So the mark is a SHA-256 of the file's length and of 64 samples of 1 KiB, evenly spread from its first
//! byte to its last. Any further training changes nearly every number, although the length and the header
//! stay the same. Only a manual change between the samples is not detected.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use hashbrown::HashMap;
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::modules::{DENSE, Modules};
use crate::variant::Variant;

const FORMAT_KEY: &str = "kb_rag.format";
/// Must be incremented if the same weights are to give different ones.
const FORMAT: &str = "int8 1";
const SOURCE_KEY: &str = "kb_rag.source";
/// Identifies the weights of the Dense layer. Only in the int8 weights of a model that has one.
const DENSE_KEY: &str = "kb_rag.dense";

const SAMPLES: u64 = 64;
const SAMPLE_SIZE: u64 = 1024;

/// The metadata in the header of int8 weights made from those in `directory`.
pub(crate) fn metadata(directory: &Path, modules: Modules) -> Result<BTreeMap<&'static str, String>, Error> {
    let mut metadata = metadata_of(&directory.join(Variant::F32.file()))?;
    if modules.dense.is_some() {
        metadata.insert(DENSE_KEY, mark(&directory.join(DENSE).join(Variant::F32.file()))?);
    }
    Ok(metadata)
}

/// The metadata in the header of int8 weights made from those in a file.
pub(crate) fn metadata_of(path: &Path) -> Result<BTreeMap<&'static str, String>, Error> {
    Ok(BTreeMap::from([(FORMAT_KEY, FORMAT.to_owned()), (SOURCE_KEY, mark(path)?)]))
}

/// Rejects the int8 weights at `path` if they have another format, if they have a Dense layer and the modules
/// have none, or if `directory` also contains f32 weights and they were not made from these.
pub(crate) fn check(
    path: &Path,
    metadata: Option<&HashMap<String, String>>,
    directory: &Path,
    modules: Modules,
) -> Result<(), Error> {
    let entry = |key| metadata.and_then(|metadata| metadata.get(key)).map(String::as_str);
    if entry(FORMAT_KEY) != Some(FORMAT) {
        return Err(Error::invalid(
            path,
            format!("{FORMAT_KEY} is {:?}, not {FORMAT:?}; quantize the model again", entry(FORMAT_KEY)),
        ));
    }
    check_mark(path, SOURCE_KEY, entry(SOURCE_KEY), directory, Path::new(""))?;
    match (modules.dense, entry(DENSE_KEY)) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Error::invalid(
            path,
            "has a Dense layer that modules.json does not list; quantize the model again",
        )),
        (Some(_), source) => check_mark(path, DENSE_KEY, source, directory, Path::new(DENSE)),
    }
}

/// Rejects the int8 weights at `path` if they were not made from the f32 weights in the directory `part` of
/// `directory`, or do not say from which they were. The f32 weights need not exist.
fn check_mark(
    path: &Path,
    key: &str,
    source: Option<&str>,
    directory: &Path,
    part: &Path,
) -> Result<(), Error> {
    let Some(source) = source else {
        return Err(Error::invalid(path, format!("does not say its {key}; quantize the model again")));
    };
    let weights = part.join(Variant::F32.file());
    match mark(&directory.join(&weights)) {
        Ok(mark) if mark == source => Ok(()),
        Ok(_) => Err(Error::invalid(
            path,
            format!("was made from another {}; quantize the model again", weights.display()),
        )),
        Err(error) if error.kind() == ErrorKind::Missing => Ok(()),
        Err(error) => Err(error),
    }
}

fn mark(path: &Path) -> Result<String, Error> {
    let mut file = files::open(path)?;
    sample(&mut file).map_err(|error| Error::io(path, &error))
}

fn sample(file: &mut (impl Read + Seek)) -> std::io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut hash = Sha256::new();
    hash.update(length.to_le_bytes());
    let mut buffer = Vec::new();
    for number in 0..SAMPLES {
        // Exact for every possible length of a file. A short file is read more than once.
        let last = u128::from(length.saturating_sub(SAMPLE_SIZE));
        let start = last * u128::from(number) / u128::from(SAMPLES - 1);
        file.seek(SeekFrom::Start(start as u64))?;
        buffer.clear();
        file.take(SAMPLE_SIZE).read_to_end(&mut buffer)?;
        hash.update(&buffer);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
