//! One file: its bytes and their hash, which belong together.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use super::kind::{self, Kind, SAMPLE};

/// How often a file is read that changes meanwhile, and the pause in between.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(100);

/// The bytes of a file that did not change while they were read.
#[derive(Debug, PartialEq, Eq)]
pub struct Content {
    pub bytes: Vec<u8>,
    /// SHA-256 of `bytes`.
    pub hash: [u8; 32],
}

/// What became of reading a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    Content(Content),
    Empty,
    /// Left out, with the reason.
    Skipped(&'static str),
    /// With the message.
    Failed(String),
}

/// Reads a file of at most `limit` bytes.
pub fn read(path: &Path, key: &str, limit: u64) -> Reading {
    read_with(path, key, limit, || {})
}

/// `before_check` is called between reading and the check that nothing changed.
fn read_with(path: &Path, key: &str, limit: u64, mut before_check: impl FnMut()) -> Reading {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        match once(path, key, limit, &mut before_check) {
            Ok(Some(reading)) => return reading,
            Ok(None) => {}
            Err(error) => return Reading::Failed(format!("the file cannot be read: {error}")),
        }
    }
    Reading::Failed("the file changed each time it was read: load it later".to_string())
}

/// None if the file changed meanwhile.
fn once(path: &Path, key: &str, limit: u64, before_check: &mut impl FnMut()) -> io::Result<Option<Reading>> {
    // A named pipe must not wait for its writer.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let before = file.metadata()?;
    if !before.is_file() {
        return Ok(Some(Reading::Skipped("not a regular file")));
    }
    if before.len() == 0 {
        return Ok(Some(Reading::Empty));
    }
    let mut bytes = Vec::new();
    file.by_ref().take(SAMPLE as u64).read_to_end(&mut bytes)?;
    if kind::by_name(key) == Kind::Unknown && !kind::looks_like_text(&bytes) {
        return Ok(Some(Reading::Skipped("no text")));
    }
    if before.len() > limit {
        let message =
            format!("the file has {} bytes, more than the limit of {limit} (--max-bytes)", before.len());
        return Ok(Some(Reading::Failed(message)));
    }
    bytes.reserve_exact((before.len() as usize).saturating_sub(bytes.len()));
    // A file that grows for ever ends here too.
    file.by_ref().take(limit.saturating_sub(bytes.len() as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    before_check();
    // A file that was replaced by another one is whole: what was opened stays as it was.
    let unchanged = state(&before) == state(&file.metadata()?) && before.len() == bytes.len() as u64;
    Ok(unchanged.then(|| {
        let hash = Sha256::digest(&bytes).into();
        Reading::Content(Content { bytes, hash })
    }))
}

/// What changes when a file is written to.
fn state(about: &Metadata) -> (u64, i64, i64) {
    (about.size(), about.mtime(), about.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        (directory, path)
    }

    fn bytes(reading: Reading) -> Vec<u8> {
        match reading {
            Reading::Content(content) => content.bytes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_hash_is_that_of_the_bytes() {
        let text = "x".repeat(3 * SAMPLE + 1);
        let (_directory, path) = file("a.md", text.as_bytes());
        let Reading::Content(content) = read(&path, "a.md", 1 << 20) else { panic!() };
        assert_eq!(content.bytes, text.as_bytes());
        assert_eq!(content.hash[..], Sha256::digest(text.as_bytes())[..]);
    }

    #[test]
    fn limits_and_kinds() {
        let (_directory, path) = file("a.md", b"12345678");
        assert!(matches!(read(&path, "a.md", 8), Reading::Content(_)));
        assert!(matches!(read(&path, "a.md", 7), Reading::Failed(why) if why.contains("8 bytes")));
        let (_directory, path) = file("a", b"\x7fELF\0\0\0\0");
        assert_eq!(read(&path, "a", 1), Reading::Skipped("no text"));
        assert!(matches!(read(&path, "a.txt", 100), Reading::Content(_)), "the name promises text");
        let (_directory, path) = file("b.md", b"");
        assert_eq!(read(&path, "b.md", 1), Reading::Empty);
        assert!(matches!(read(&path.with_file_name("none"), "none", 1), Reading::Failed(_)));
    }

    #[test]
    fn a_file_that_changes_once_is_read_again() {
        let (_directory, path) = file("a.md", b"old");
        let mut calls = 0;
        let reading = read_with(&path, "a.md", 100, || {
            calls += 1;
            if calls == 1 {
                fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b" and new").unwrap();
            }
        });
        assert_eq!((bytes(reading), calls), (b"old and new".to_vec(), 2));
    }

    #[test]
    fn a_change_of_the_same_length_is_noticed() {
        let (_directory, path) = file("a.md", b"old");
        let mut calls = 0;
        let reading = read_with(&path, "a.md", 100, || {
            calls += 1;
            if calls == 1 {
                std::thread::sleep(Duration::from_millis(20));
                fs::write(&path, b"new").unwrap();
            }
        });
        assert_eq!((bytes(reading), calls), (b"new".to_vec(), 2));
    }

    #[test]
    fn a_file_that_always_changes_fails() {
        let (_directory, path) = file("a.md", b"x");
        let mut calls = 0;
        let reading = read_with(&path, "a.md", 100, || {
            calls += 1;
            fs::write(&path, "x".repeat(1 + calls)).unwrap();
        });
        assert!(matches!(reading, Reading::Failed(why) if why.contains("changed")));
        assert_eq!(calls, ATTEMPTS as usize);
    }

    #[test]
    fn a_file_that_is_replaced_is_whole() {
        let (directory, path) = file("a.md", b"old");
        let other = directory.path().join("b.md");
        fs::write(&other, "newer").unwrap();
        let reading = read_with(&path, "a.md", 100, || {
            let _ = fs::rename(&other, &path);
        });
        assert_eq!(bytes(reading), b"old");
    }
}
