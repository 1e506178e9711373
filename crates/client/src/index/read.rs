//! One file: its bytes and their hash, which belong together.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use kb_rag_core::file_kind::{Handling, Kind, SAMPLE, by_name, recognize, recognize_beginning, table};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

/// How often a file is read that changes meanwhile, and the pause in between.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_millis(100) };

/// How many bytes of most files that hold no text show that.
const FIRST: usize = 1 << 16;

/// Which files are sent.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The most bytes of a file.
    pub max_bytes: u64,
    /// Whether the server has the version of this program.
    pub is_own_version: bool,
}

impl Choice {
    /// Whether files of a kind are left out. A server of another version may read documents that this one does not: its answer
    /// decides.
    fn leaves_out(&self, kind: &Kind) -> bool {
        match kind.handling {
            Handling::NoText => true,
            Handling::Unread | Handling::UnreadText => self.is_own_version,
            Handling::Read(_) | Handling::Prose | Handling::Records | Handling::Code => false,
        }
    }
}

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
    /// Left out, with what it is: no reader is for it.
    Unsupported(&'static str),
    /// With the message.
    Failed(String),
}

/// Reads a file.
pub fn read(path: &Path, key: &str, choice: Choice) -> Reading {
    read_with(path, key, choice, || {})
}

/// `before_check` is called between reading and the check that nothing changed.
fn read_with(path: &Path, key: &str, choice: Choice, mut before_check: impl FnMut()) -> Reading {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        match once(path, key, choice, &mut before_check) {
            Ok(Some(reading)) => return reading,
            Ok(None) => {}
            Err(error) => return Reading::Failed(format!("the file cannot be read: {error}")),
        }
    }
    Reading::Failed("the file changed each time it was read: load it later".to_string())
}

/// None if the file changed meanwhile.
fn once(
    path: &Path,
    key: &str,
    choice: Choice,
    before_check: &mut impl FnMut(),
) -> io::Result<Option<Reading>> {
    let limit = choice.max_bytes;
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
    for size in [FIRST, SAMPLE] {
        file.by_ref().take((size - bytes.len()) as u64).read_to_end(&mut bytes)?;
        // Unknown bytes show nothing yet: a file that is being written may begin with zeros.
        let shown = recognize_beginning(&bytes, Some(key)).filter(|kind| *kind != &table::BINARY);
        if let Some(kind) = shown.filter(|kind| choice.leaves_out(kind)) {
            return Ok(Some(Reading::Unsupported(kind.name)));
        }
    }
    let left_out = |bytes: &[u8]| {
        let kind = recognize(bytes, Some(key), None);
        if kind == &table::BINARY && should_be_text(key) {
            return Some(Reading::Failed("the file is damaged: its bytes are not text".to_string()));
        }
        choice.leaves_out(kind).then_some(Reading::Unsupported(kind.name))
    };
    if before.len() > limit {
        if let Some(reading) = left_out(&bytes) {
            return Ok(Some(reading));
        }
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
        left_out(&bytes).unwrap_or_else(|| {
            let hash = Sha256::digest(&bytes).into();
            Reading::Content(Content { bytes, hash })
        })
    }))
}

/// Whether the name is that of a text for people. Names of code do not tell: a video may end in .ts as well.
fn should_be_text(key: &str) -> bool {
    by_name(key)
        .is_some_and(|kind| matches!(kind.handling, Handling::Read(_) | Handling::Prose | Handling::Records))
}

/// What changes when a file is written to.
fn state(about: &Metadata) -> (u64, i64, i64) {
    (about.size(), about.mtime(), about.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::time::SystemTime;

    use super::*;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        (directory, path)
    }

    fn up_to(max_bytes: u64) -> Choice {
        Choice { max_bytes, is_own_version: true }
    }

    fn bytes(reading: Reading) -> Vec<u8> {
        match reading {
            Reading::Content(content) => content.bytes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_hash_is_that_of_the_bytes() {
        let text = "x".repeat(SAMPLE + 1);
        let (_directory, path) = file("a.md", text.as_bytes());
        let Reading::Content(content) = read(&path, "a.md", up_to(2 << 20)) else { panic!() };
        assert_eq!(content.bytes, text.as_bytes());
        assert_eq!(content.hash[..], Sha256::digest(text.as_bytes())[..]);
    }

    #[test]
    fn limits() {
        let (_directory, path) = file("a.md", b"12345678");
        assert!(matches!(read(&path, "a.md", up_to(8)), Reading::Content(_)));
        assert!(matches!(read(&path, "a.md", up_to(7)), Reading::Failed(why) if why.contains("8 bytes")));
        let (_directory, path) = file("b.md", b"");
        assert_eq!(read(&path, "b.md", up_to(1)), Reading::Empty);
        let none = path.with_file_name("none");
        assert!(matches!(read(&none, "none", up_to(1)), Reading::Failed(_)));
    }

    #[test]
    fn bytes_tell_what_is_sent() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice();
        for (name, content, expected) in [
            ("a", b"\x7fELF\0\0\0\0".as_slice(), Some("a program")),
            ("a.txt", png, Some("a PNG image")),
            ("a.png", png, Some("a PNG image")),
            ("a.png", b"text", None),
            ("a.unheard", b"text", None),
            ("a.dat", b"%PDF-1.7\n\0\x01\x02\x03\xff", None),
            ("a.pdf", b"\0\x01\x02\x03\xff", None),
            ("a.ts", b"a\0b", Some("a binary file")),
            ("a.unheard", b"a\0b", Some("a binary file")),
            ("a.zip", b"PK\x05\x06\0\0", Some("a ZIP archive")),
            ("a.svg", b"<svg/>", Some("an SVG image")),
        ] {
            let (_directory, path) = file(name, content);
            let unsupported = |choice| match read(&path, name, choice) {
                Reading::Unsupported(kind) => Some(kind),
                Reading::Content(_) => None,
                other => panic!("{name}: {other:?}"),
            };
            assert_eq!(unsupported(up_to(100)), expected, "{name}");
            // A server of another version is asked for documents that this one does not read, not for images.
            let other = expected.filter(|kind| *kind != "an SVG image");
            assert_eq!(unsupported(Choice { max_bytes: 100, is_own_version: false }), other, "{name}");
        }
    }

    #[test]
    fn a_damaged_text_fails() {
        for name in ["a.txt", "a.md", "a.html", "a.csv"] {
            let (_directory, path) = file(name, &[b"words".as_slice(), &[0; 100]].concat());
            for limit in [1000, 10] {
                let reading = read(&path, name, up_to(limit));
                assert!(
                    matches!(&reading, Reading::Failed(why) if why.contains("damaged")),
                    "{name}: {reading:?}"
                );
            }
        }
    }

    #[test]
    fn a_file_that_begins_with_zeros_may_be_unfinished() {
        let (_directory, path) = file("a.md", &vec![0; 2 * SAMPLE]);
        let mut calls = 0;
        let reading = read_with(&path, "a.md", up_to(10 << 20), || {
            calls += 1;
            if calls == 1 {
                fs::write(&path, "finished").unwrap();
            }
        });
        assert_eq!(bytes(reading), b"finished");
    }

    #[test]
    fn what_is_left_out_may_be_large() {
        for (name, content) in [("a.zip", b"PK\x03\x04 and no more".as_slice()), ("a.iso", b"\0\x01\x02\x03")]
        {
            let (_directory, path) = file(name, content);
            assert!(matches!(read(&path, name, up_to(1)), Reading::Unsupported(_)), "{name}");
        }
        let (_directory, path) = file("a.docx", b"PK\x03\x04 and no more");
        assert!(matches!(read(&path, "a.docx", up_to(1)), Reading::Failed(why) if why.contains("bytes")));
    }

    #[test]
    fn a_file_that_changes_once_is_read_again() {
        let (_directory, path) = file("a.md", b"old");
        let mut calls = 0;
        let reading = read_with(&path, "a.md", up_to(100), || {
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
        let reading = read_with(&path, "a.md", up_to(100), || {
            calls += 1;
            if calls == 1 {
                fs::write(&path, b"new").unwrap();
                // Later than the clock of the file system can tell apart.
                let later = SystemTime::now() + Duration::from_secs(1);
                fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
            }
        });
        assert_eq!((bytes(reading), calls), (b"new".to_vec(), 2));
    }

    #[test]
    fn a_file_that_always_changes_fails() {
        let (_directory, path) = file("a.md", b"x");
        let mut calls = 0;
        let reading = read_with(&path, "a.md", up_to(100), || {
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
        let reading = read_with(&path, "a.md", up_to(100), || {
            let _ = fs::rename(&other, &path);
        });
        assert_eq!(bytes(reading), b"old");
    }
}
