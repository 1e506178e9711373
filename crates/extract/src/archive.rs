//! The documentation in the archive (tar.gz) of a repository, as GitHub sends it: one directory with everything in it.
//!
//! Files are read one after the other from the packed bytes; nothing is unpacked to a disk. Links and everything else that is
//! no file are left out.

mod path;

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use flate2::bufread::MultiGzDecoder;
use kb_rag_core::extract_protocol::Failure;
use kb_rag_core::file_kind::Reader;
use tar::{Archive, PaxExtensions};

use crate::sitemap::GZIP;
use crate::{File, Text, text};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 2 << 20;

/// The most bytes of a header with the long name of a file. Longer ones are not read.
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// What to read of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The directory or file of the repository; None for all of it.
    pub path: Option<&'a str>,
    /// The most files to read.
    pub max_files: u32,
    /// The most bytes to which the archive may unpack.
    pub max_bytes: u64,
}

/// Why reading stopped.
#[derive(Debug)]
pub enum Stop {
    /// The archive cannot be read.
    Failure(Failure),
    /// A file could not be handed on.
    Output(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}

/// Calls `with` for each file of documentation: its path in the repository, and its text or why it cannot be read, for people.
/// Documentation is Markdown and text by its name, outside of hidden directories, `node_modules` and `vendor`. Returns how many
/// more files there are than wanted.
///
/// # Errors
/// [`Failure::Damaged`] if it is no such archive or breaks off, [`Failure::Limit`] if it unpacks to more than wanted, both perhaps
/// after some files; [`Stop::Output`] for an error of `with`.
pub fn read(
    bytes: &[u8],
    wanted: &Wanted,
    mut with: impl FnMut(&str, Result<Text, String>) -> io::Result<()>,
) -> Result<u32, Stop> {
    if !bytes.starts_with(&GZIP) {
        return Err(Failure::Damaged("it is not packed with gzip".into()).into());
    }
    let exceeded = Cell::new(false);
    let failure = |_: io::Error| match exceeded.get() {
        true => Failure::Limit(format!("it unpacks to more than {} bytes", wanted.max_bytes)),
        false => Failure::Damaged("its archive breaks off or is no tar archive".into()),
    };
    let unpacked = Limited { inner: MultiGzDecoder::new(bytes), left: wanted.max_bytes, exceeded: &exceeded };
    let mut archive = Archive::new(unpacked);
    let mut seen: HashSet<String> = HashSet::new();
    let mut left_out = 0_u32;
    let mut long_name = None;
    // Raw: otherwise headers with long names are read whole, however long, and files with holes are filled.
    for entry in archive.entries().map_err(failure)?.raw(true) {
        let mut entry = entry.map_err(failure)?;
        let kind = entry.header().entry_type();
        if kind.is_pax_local_extensions() || kind.is_gnu_longname() {
            let mut header = Vec::new();
            (&mut entry).take(MAX_HEADER_BYTES).read_to_end(&mut header).map_err(failure)?;
            let name = if kind.is_gnu_longname() { Some(header) } else { path_in(&header) };
            long_name = name.or(long_name);
            continue;
        }
        if kind.is_pax_global_extensions() || kind.is_gnu_longlink() {
            continue;
        }
        let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        let Some(path) = path::in_repository(&name).filter(|_| kind.is_file()) else { continue };
        if !path::is_wanted(path, wanted.path) || seen.contains(path) {
            continue;
        }
        if seen.len() as u64 >= u64::from(wanted.max_files) {
            left_out = left_out.saturating_add(1);
            continue;
        }
        seen.insert(path.to_owned());
        let size = entry.size();
        if size > MAX_BYTES {
            with(path, Err(format!("it is larger than {} MB", MAX_BYTES >> 20)))?;
            continue;
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(failure)?;
        if content.len() as u64 != size {
            return Err(failure(io::ErrorKind::UnexpectedEof.into()).into());
        }
        with(path, text_of(path, &content))?;
    }
    // The checksum is at the end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(failure)?;
    Ok(left_out)
}

/// The text of a file. Its name decides how it is read, unless its bytes are no text.
fn text_of(path: &str, bytes: &[u8]) -> Result<Text, String> {
    let file = File { bytes, filename: Some(path), ..File::default() };
    let kind = file.kind();
    let read = || match kind.reader() {
        Ok(Reader::Markdown) => {
            text::extract(&file, true).map(|text| text.without_blobs().read_by(Reader::Markdown))
        }
        Ok(reader) if !reader.reads_bytes() => {
            text::extract(&file, false).map(|text| text.without_blobs().read_by(Reader::Text))
        }
        _ => Err(Failure::Unsupported(kind.name.into())),
    };
    // One file must not cost the others.
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(Failure::Unsupported(what))) => Err(format!("it is {what}, but has the name of a text")),
        Ok(Err(_)) | Err(_) => Err("reading it failed".into()),
    }
}

/// The path in the records of a pax header.
fn path_in(header: &[u8]) -> Option<Vec<u8>> {
    let mut records = PaxExtensions::new(header).flatten();
    records.find(|record| record.key_bytes() == b"path").map(|record| record.value_bytes().to_vec())
}

/// Fails when more than a number of bytes come, and remembers that.
struct Limited<'a, R> {
    inner: R,
    left: u64,
    exceeded: &'a Cell<bool>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        match self.left.checked_sub(length as u64) {
            Some(left) => self.left = left,
            None => {
                self.exceeded.set(true);
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests;
