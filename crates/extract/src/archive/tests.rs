use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{Builder, EntryType, Header};

use super::*;

const ALL: Wanted = Wanted { path: None, max_files: 1000, max_bytes: 100 << 20 };

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn add(builder: &mut Builder<Vec<u8>>, kind: EntryType, path: &str, content: &[u8]) {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    // Any bytes, which the safe way refuses.
    let name = &mut header.as_old_mut().name;
    let length = path.len().min(name.len());
    name[..length].copy_from_slice(&path.as_bytes()[..length]);
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

/// A tar archive of regular files.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (path, content) in files {
        add(&mut builder, EntryType::Regular, path, content);
    }
    builder.into_inner().unwrap()
}

type Files = Vec<(String, Result<Text, String>)>;

fn read_all(bytes: &[u8], wanted: &Wanted) -> (Files, Result<u32, Failure>) {
    let mut files = Vec::new();
    let result = read(bytes, wanted, |path, text| {
        files.push((path.to_owned(), text));
        Ok(())
    });
    let result = result.map_err(|stop| match stop {
        Stop::Failure(failure) => failure,
        Stop::Output(error) => panic!("{error}"),
    });
    (files, result)
}

fn paths(files: &Files) -> Vec<&str> {
    files.iter().map(|(path, _)| path.as_str()).collect()
}

#[test]
fn reads_documentation() {
    let tar = tar(&[
        ("r-1/README.md", b"# Tea\r\n\nText"),
        ("r-1/LICENSE", b"<html> terms"),
        ("r-1/src/main.rs", b"fn main() {}"),
        ("r-1/docs/a.rst", "caf\u{e9}".as_bytes()),
        ("r-1/docs/image.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("r-1/docs/pdf.txt", b"%PDF-1.7"),
        ("r-1/docs/empty.md", b""),
        ("r-1/.github/x.md", b"no"),
        ("r-1/vendor/x.md", b"no"),
        ("r-1/README.md", b"again"),
    ]);
    let (files, result) = read_all(&zip(&tar), &ALL);
    assert_eq!(result, Ok(0));
    let expected = ["README.md", "LICENSE", "docs/a.rst", "docs/image.txt", "docs/pdf.txt", "docs/empty.md"];
    assert_eq!(paths(&files), expected);
    let text = |at: usize| files[at].1.as_ref().unwrap();
    assert!(text(0).properties.markdown && text(0).properties.title.as_deref() == Some("Tea"));
    assert_eq!(text(0).pages[0].content, "# Tea\n\nText");
    assert!(!text(1).properties.markdown && text(1).pages[0].content == "<html> terms");
    assert_eq!(text(2).pages[0].content, "caf\u{e9}");
    assert_eq!(files[3].1, Err("it is a PNG image, but has the name of a text".into()));
    assert_eq!(files[4].1, Err("it is a PDF file, but has the name of a text".into()));
    assert_eq!(text(5).pages[0].content, "");
    let (files, _) = read_all(&zip(&tar), &Wanted { path: Some("docs/"), ..ALL });
    assert_eq!(paths(&files), expected[2..]);
    let (files, _) = read_all(&zip(&tar), &Wanted { path: Some("docs/a.rst"), ..ALL });
    assert_eq!(paths(&files), ["docs/a.rst"]);
}

#[test]
fn reads_long_names() {
    let long = format!("r-1/{}/{}.md", "a".repeat(150), "b".repeat(150));
    let mut builder = Builder::new(Vec::new());
    add(
        &mut builder,
        EntryType::XGlobalHeader,
        "pax_global_header",
        b"52 comment=0123456789012345678901234567890123456789\n",
    );
    let record = format!("path={long}\n");
    let record = format!("{} {record}", record.len() + 4);
    add(&mut builder, EntryType::XHeader, "0123.paxheader", record.as_bytes());
    add(&mut builder, EntryType::Regular, "r-1/0123.data", b"pax");
    add(&mut builder, EntryType::Regular, "r-1/a.md", b"next");
    let gnu = long.replace('b', "c");
    add(&mut builder, EntryType::GNULongName, "././@LongLink", format!("{gnu}\0").as_bytes());
    add(&mut builder, EntryType::Regular, "r-1/short.txt", b"gnu");
    let prefixed = long.replace('b', "d");
    let mut header = Header::new_ustar();
    header.set_path(prefixed.replace(&"d".repeat(150), &"d".repeat(90))).unwrap();
    header.set_size(6);
    header.set_cksum();
    builder.append(&header, b"prefix".as_slice()).unwrap();
    let (files, result) = read_all(&zip(&builder.into_inner().unwrap()), &ALL);
    assert_eq!(result, Ok(0));
    let short = prefixed.replace(&"d".repeat(150), &"d".repeat(90));
    assert_eq!(paths(&files), [&long[4..], "a.md", &gnu[4..], &short[4..]]);
    assert_eq!(files[0].1.as_ref().unwrap().pages[0].content, "pax");
    assert_eq!(files[3].1.as_ref().unwrap().pages[0].content, "prefix");
}

#[test]
fn leaves_out_what_is_no_file_of_the_repository() {
    let mut builder = Builder::new(Vec::new());
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
        EntryType::GNUSparse,
        EntryType::new(b'Z'),
    ] {
        add(&mut builder, kind, "r-1/a.md", b"");
    }
    for path in ["/etc/a.md", "r-1/../../a.md", "a.md", "r-1//a.md", "r-1/\u{1}.md", "r-1/a.md/"] {
        add(&mut builder, EntryType::Regular, path, b"no");
    }
    add(&mut builder, EntryType::Regular, "r-1/b.md", b"yes");
    let (files, result) = read_all(&zip(&builder.into_inner().unwrap()), &ALL);
    // The first is a path like any other, in a repository named "".
    assert_eq!((paths(&files), result), (vec!["etc/a.md", "b.md"], Ok(0)));
}

#[test]
fn bounds_what_it_reads() {
    let large = vec![b'a'; MAX_BYTES as usize + 1];
    let tar_of_large = tar(&[("r/a.md", &large), ("r/b.md", &large[1..]), ("r/c.md", b"c")]);
    let packed = zip(&tar_of_large);
    let (files, result) = read_all(&packed, &ALL);
    assert_eq!((paths(&files), result), (vec!["a.md", "b.md", "c.md"], Ok(0)));
    assert_eq!(files[0].1, Err("it is larger than 2 MB".into()));
    assert_eq!(files[1].1.as_ref().unwrap().pages[0].content.len(), MAX_BYTES as usize);
    let (files, result) = read_all(&packed, &Wanted { max_files: 1, ..ALL });
    assert_eq!((files.len(), result), (1, Ok(2)));
    let (files, result) = read_all(&packed, &Wanted { max_files: 0, ..ALL });
    assert_eq!((files.len(), result), (0, Ok(3)));
    let exact = tar_of_large.len() as u64;
    assert_eq!(read_all(&packed, &Wanted { max_bytes: exact, ..ALL }).1, Ok(0));
    for max_bytes in [0, 1, 1000, MAX_BYTES, 2 * MAX_BYTES, exact - 1] {
        let (_, result) = read_all(&packed, &Wanted { max_bytes, ..ALL });
        assert!(matches!(result, Err(Failure::Limit(_))), "{max_bytes}: {result:?}");
    }
    // A bomb in what is skipped, in a name, and after the end.
    let zeros = vec![0; 50 << 20];
    let end = tar(&[]);
    let mut name = Builder::new(Vec::new());
    add(&mut name, EntryType::XHeader, "x", &zeros);
    for bomb in [tar(&[("r/a.bin", &zeros)]), name.into_inner().unwrap(), [end, zeros].concat()] {
        let bomb = zip(&bomb);
        assert!(bomb.len() < 1 << 20);
        let (_, result) = read_all(&bomb, &Wanted { max_bytes: 10 << 20, ..ALL });
        assert!(matches!(result, Err(Failure::Limit(_))), "{result:?}");
    }
}

#[test]
fn a_part_is_not_taken_for_the_whole() {
    let tar = tar(&[("r/a.md", b"a"), ("r/b.md", &vec![b'b'; 100_000]), ("r/c.md", b"c")]);
    let packed = zip(&tar);
    for cut in [0, 1, 2, 10, 20, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
        let (_, result) = read_all(&packed[..cut], &ALL);
        assert!(matches!(result, Err(Failure::Damaged(_))), "{cut}: {result:?}");
    }
    let mut wrong = packed.clone();
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    assert!(matches!(read_all(&wrong, &ALL).1, Err(Failure::Damaged(_))));
    for cut in [300, 700, 1500, 50_000] {
        let (_, result) = read_all(&zip(&tar[..cut]), &ALL);
        assert!(matches!(result, Err(Failure::Damaged(_))), "{cut}: {result:?}");
    }
    for bytes in [b"<html>Not found".as_slice(), &zip(b"no tar archive"), &zip(&[1; 2000]), &tar] {
        assert!(matches!(read_all(bytes, &ALL).1, Err(Failure::Damaged(_))));
    }
}

#[test]
fn stops_when_nobody_listens() {
    let packed = zip(&tar(&[("r/a.md", b"a"), ("r/b.md", b"b")]));
    let mut calls = 0;
    let result = read(&packed, &ALL, |_, _| {
        calls += 1;
        Err(io::ErrorKind::BrokenPipe.into())
    });
    assert!(matches!(result, Err(Stop::Output(_))));
    assert_eq!(calls, 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A changed archive is read or refused, and no path leaves the repository.
    #[test]
    fn accepts_any_change(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), fix: bool) {
        let mut bytes = tar(&[("r/a.md", b"a"), ("r/b/c.md", &[b'b'; 600]), ("r/d.txt", b"d")]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if fix {
            // Otherwise nearly all changes of a header end at its checksum.
            for at in [0, 1024] {
                let mut header = Header::new_old();
                header.as_mut_bytes().copy_from_slice(&bytes[at..at + 512]);
                header.set_cksum();
                bytes[at..at + 512].copy_from_slice(header.as_bytes());
            }
        }
        let (files, _) = read_all(&zip(&bytes), &Wanted { max_bytes: 1 << 20, ..ALL });
        for (path, _) in files {
            prop_assert!(path.split('/').all(|step| !matches!(step, "" | "." | "..")));
        }
    }
}
