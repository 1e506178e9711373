//! Which files are worth sending. The server decides what it can read; this only leaves out what no reader is for.

/// Endings of names whose files hold no text that the server reads: of images, sound, films, archives, other office formats,
/// programs, data and fonts. Endings that text files have too are left to the first bytes.
const WITHOUT_TEXT: &str = "\
    avif bmp cr2 cur dng gif heic heif icns ico jp2 jpe jpeg jpg jxl nef png psd tga tif tiff \
    webp xcf \
    aac aif aiff avi flac m4a m4v mid mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus wav webm wma wmv \
    7z apk bz2 cab deb dmg gz iso jar lz4 lzma rar rpm tar tbz tgz txz war whl xz zip zst \
    doc epub mobi odp ods odt potx pps ppsx ppt pptm pptx rtf vsd vsdx \
    xls xlsb xlsm xlsx xlt xltx \
    class db dll dylib elf exe mdb msi npy npz onnx parquet pdb pickle pkl pyc \
    pyd pyo rlib rmeta safetensors so sqlite sqlite3 swp wasm \
    eot otf ttc ttf woff woff2";

/// Endings of names that promise a file that the server reads. If it holds something else, that is a failure to show.
const WITH_TEXT: &str = "\
    adoc asciidoc bash bat bib c cc cfg clj cmake conf cpp cs css csv cxx dart diff docm docx el erl ex \
    exs f90 fs go gradle graphql groovy h hh hpp hs htm html ini ipynb java jl js json json5 jsonl jsx \
    kt kts less lisp log lua m markdown md mdown mdx mjs mkd ml mli ndjson nim org patch pdf php pl pm \
    po properties proto ps1 py pyi r rb rs rst sass scala scss sh sql srt svelte swift tex text toml tsv \
    tsx txt vb vim vue xht xhtml xml yaml yml zig";

/// How many bytes of a file show what it is.
pub const SAMPLE: usize = 8192;

/// What the name of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// To be sent.
    Text,
    /// To be left out.
    NoText,
    /// To be sent if its first bytes look like text.
    Unknown,
}

/// The kind of a file by the ending of its name.
pub fn by_name(key: &str) -> Kind {
    let Some(ending) = ending(key) else { return Kind::Unknown };
    let is_among = |endings: &str| endings.split(' ').any(|one| one == ending);
    if is_among(WITHOUT_TEXT) {
        Kind::NoText
    } else if is_among(WITH_TEXT) {
        Kind::Text
    } else {
        Kind::Unknown
    }
}

/// The ending of a name, in lower case.
pub fn ending(key: &str) -> Option<String> {
    let name = key.rsplit('/').next().unwrap_or(key);
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
}

/// Whether the first bytes of a file are those of a text or of a PDF file.
pub fn looks_like_text(sample: &[u8]) -> bool {
    let is_utf16 = sample.starts_with(&[0xff, 0xfe]) || sample.starts_with(&[0xfe, 0xff]);
    sample.starts_with(b"%PDF-") || is_utf16 || !sample.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (name, kind) in [
            ("a/b.MD", Kind::Text),
            ("a.tar/b.pdf", Kind::Text),
            ("a.md/b.PNG", Kind::NoText),
            ("x.xlsx", Kind::NoText),
            ("LICENSE", Kind::Unknown),
            ("a.md/LICENSE", Kind::Unknown),
            ("x.unheard", Kind::Unknown),
        ] {
            assert_eq!(by_name(name), kind, "{name}");
        }
    }

    #[test]
    fn no_ending_is_in_both_lists() {
        for ending in WITH_TEXT.split(' ') {
            assert_eq!(by_name(&format!("a.{ending}")), Kind::Text, "{ending}");
        }
        assert!(!WITH_TEXT.contains("  ") && !WITHOUT_TEXT.contains("  "));
    }

    #[test]
    fn samples() {
        for sample in [&b"plain"[..], b"", b"\xe9t\xe9", b"%PDF-1.4\n\0\0", b"\xff\xfea\0"] {
            assert!(looks_like_text(sample), "{sample:?}");
        }
        for sample in [&b"\x7fELF\x02\x01\x01\0"[..], b"a\0b"] {
            assert!(!looks_like_text(sample), "{sample:?}");
        }
    }
}
