//! Data in texts: images and other files that were written into them as base64 or hexadecimal digits. Nobody reads or searches
//! them.

use std::fmt;
use std::ops::Range;

use memchr::memmem;

/// A data URI with fewer characters of data stays: it costs little.
const MIN_URI_DATA: usize = 64;

/// So many characters of data without a space are no word, identifier, path, key or hash.
const MIN_BLOB: usize = 300;

/// Data that is divided into lines: so many of them, and so long.
const MIN_LINES: usize = 8;
const LINE_LENGTHS: Range<usize> = 48..129;

/// Base64 has 64 different characters, hexadecimal digits are 16. A row of dashes has one.
const MIN_DIFFERENT: u32 = 10;
const MIN_DIFFERENT_OF_LINES: u32 = 24;

/// The mark in place of data that was left out.
const LEFT_OUT: &str = "…";

/// The longest name of the type of a data URI.
const MAX_URI_TYPE: usize = 200;

/// The data that was left out of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Data URIs.
    pub uris: usize,
    /// Other data.
    pub blobs: usize,
    /// The characters of both.
    pub characters: usize,
}

impl LeftOut {
    /// Adds what was left out of another text.
    pub fn add(&mut self, other: LeftOut) {
        self.uris += other.uris;
        self.blobs += other.blobs;
        self.characters += other.characters;
    }

    /// Whether nothing was left out.
    pub fn is_nothing(&self) -> bool {
        self.uris + self.blobs == 0
    }
}

/// For people, as in "2 data URIs and 1 block of base64 (3456 characters)".
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: usize, one: &str, more: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {more}")),
        };
        let uris = count(self.uris, "data URI", "data URIs");
        let blobs = count(self.blobs, "block of base64", "blocks of base64");
        let all: Vec<String> = uris.into_iter().chain(blobs).collect();
        write!(f, "{} ({} characters)", all.join(" and "), self.characters)
    }
}

/// The text without data, and what was left out. None if it has none.
pub fn without_blobs(text: &str) -> Option<(String, LeftOut)> {
    let found = blobs(text);
    let mut left_out = LeftOut::default();
    let mut out = String::with_capacity(if found.is_empty() { 0 } else { text.len() });
    let mut done = 0;
    for (range, is_uri) in found {
        let (Some(before), Some(data)) = (text.get(done..range.start), text.get(range.clone())) else {
            continue;
        };
        out.push_str(before);
        out.push_str(LEFT_OUT);
        *(if is_uri { &mut left_out.uris } else { &mut left_out.blobs }) += 1;
        left_out.characters += data.chars().count();
        done = range.end;
    }
    if left_out.is_nothing() {
        return None;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Some((out, left_out))
}

/// The places of data, in ascending order, and whether each is that of a data URI.
fn blobs(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut found: Vec<(Range<usize>, bool)> = uris(text).map(|range| (range, true)).collect();
    let uris: Vec<Range<usize>> = found.iter().map(|(range, _)| range.clone()).collect();
    found.extend(runs(text).into_iter().filter(|range| is_apart(&uris, range)).map(|range| (range, false)));
    found.sort_by_key(|(range, _)| range.start);
    let others: Vec<Range<usize>> = found.iter().map(|(range, _)| range.clone()).collect();
    found
        .extend(lines(text).into_iter().filter(|range| is_apart(&others, range)).map(|range| (range, false)));
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Whether a range has nothing of others, which are in ascending order.
fn is_apart(others: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = others.partition_point(|other| other.end <= range.start);
    others.get(next).is_none_or(|other| other.start >= range.end)
}

/// The data of data URIs (RFC 2397): what follows the comma.
fn uris(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut end = 0;
    memmem::find_iter(bytes, b"data:").filter_map(move |at| {
        if at < end {
            return None;
        }
        let rest = bytes.get(at + 5..)?;
        let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"/+-.;=_\"' ".contains(byte);
        let comma = rest.iter().take(MAX_URI_TYPE).position(|byte| !is_type(byte))?;
        let declared =
            rest.get(..comma).filter(|declared| declared.contains(&b'/') || declared.contains(&b';'))?;
        if rest.get(comma) != Some(&b',') || declared.first().is_some_and(|byte| *byte == b' ') {
            return None;
        }
        let start = at + 5 + comma + 1;
        let is_data = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=_-%.~!*:;,?&@$#".contains(byte);
        let length = bytes.get(start..)?.iter().take_while(is_data).count();
        // The end of a sentence is no data.
        let data = bytes.get(start..start + length)?;
        let data = data.len() - data.iter().rev().take_while(|byte| b".,;:!?".contains(byte)).count();
        if data < MIN_URI_DATA {
            return None;
        }
        end = start + data;
        Some(start..end)
    })
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte)
}

/// Long runs of characters of base64 or hexadecimal digits.
fn runs(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    // A run of this length has a character at each step, so most of a text is not looked at.
    while let Some(byte) = bytes.get(at) {
        if !is_base64(*byte) {
            at += MIN_BLOB;
            // The run may have begun behind the character before.
            let back = bytes.get(at.saturating_sub(MIN_BLOB)..at.min(bytes.len())).unwrap_or_default();
            let tail = back.iter().rev().take_while(|byte| is_base64(**byte)).count();
            at = at.min(bytes.len()) - tail;
            if tail == 0 {
                continue;
            }
        }
        let length = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_base64(**byte)).count();
        let run = at..at + length;
        at = run.end.max(at + 1);
        if bytes.get(run.clone()).is_some_and(|run| run.len() >= MIN_BLOB && is_data(run, MIN_DIFFERENT)) {
            found.push(run);
        }
    }
    found
}

/// Whether characters of base64 are data: letters and digits, and many different ones.
fn is_data(run: &[u8], min_different: u32) -> bool {
    let seen = run.iter().fold(0_u128, |seen, byte| seen | 1 << (byte & 127));
    let has = |range: Range<u8>| range.into_iter().any(|byte| seen & 1 << byte != 0);
    let words = run.iter().filter(|byte| b"-_/".contains(byte)).count();
    seen.count_ones() >= min_different
        && has(b'0'..b'9' + 1)
        && (has(b'a'..b'z' + 1) || has(b'A'..b'Z' + 1))
        // Paths and names of several words.
        && words * 12 < run.len()
}

/// Data in lines of one length, as in messages and certificates.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut block: Option<(Range<usize>, usize, usize)> = None;
    let mut at = 0;
    let mut close = |block: &mut Option<(Range<usize>, usize, usize)>| {
        let data = block.take().filter(|(_, _, count)| *count >= MIN_LINES).map(|(range, ..)| range);
        found.extend(data.filter(|range| {
            let data = text.get(range.clone()).unwrap_or_default().bytes();
            let data: Vec<u8> = data.filter(|byte| is_base64(*byte)).collect();
            is_data(&data, MIN_DIFFERENT_OF_LINES)
        }));
    };
    for line in text.split_inclusive('\n') {
        let data = line.trim_matches([' ', '\t', '>', '\n', '\r', '"', '\'', ',']);
        let start = at + line.find(data).unwrap_or(0);
        at += line.len();
        let range = start..start + data.len();
        let is_line = !data.is_empty() && data.len() < LINE_LENGTHS.end && data.bytes().all(is_base64);
        match &mut block {
            Some((whole, length, count)) if is_line && data.len() <= *length => {
                (whole.end, *count) = (range.end, *count + 1);
                // The last line is shorter.
                if data.len() < *length {
                    close(&mut block);
                }
            }
            _ => {
                close(&mut block);
                let begins = is_line && LINE_LENGTHS.contains(&data.len());
                block = begins.then_some((range, data.len(), 1));
            }
        }
    }
    close(&mut block);
    found
}

/// The words of a text, by which its language is judged: without long runs of characters that have no spaces, such as data,
/// addresses and keys. Characters outside of ASCII are words in any number.
pub fn words(text: &str) -> String {
    /// Longer than words of any language.
    const MAX_WORD: usize = 40;
    let is_word = |word: &&str| word.len() <= MAX_WORD || !word.is_ascii();
    text.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Base64 of so many characters.
    fn data(length: usize) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..length as u64)
            .map(|n| char::from(DIGITS[(n.wrapping_mul(2_654_435_761) >> 7) as usize % 64]))
            .collect()
    }

    fn hex(length: usize) -> String {
        data(length).bytes().map(|byte| char::from_digit(u32::from(byte) % 16, 16).unwrap()).collect()
    }

    fn cut(text: &str) -> (String, usize, usize) {
        without_blobs(text)
            .map_or((text.to_owned(), 0, 0), |(text, left_out)| (text, left_out.uris, left_out.blobs))
    }

    #[test]
    fn data_uris() {
        let data = data(500);
        for (before, after) in [
            ("![img](data:image/png;base64,", ") and text"),
            ("<img src=\"data:image/svg+xml;charset=utf-8;base64,", "\">"),
            ("see data:application/pdf;base64,", ". More"),
            ("url(data:;base64,", ")"),
            ("url(data:font/woff2,", ")"),
        ] {
            let text = format!("{before}{data}{after}");
            assert_eq!(cut(&text), (format!("{before}…{after}"), 1, 0));
        }
        let percent =
            format!("![x](data:image/svg+xml,%3Csvg{}%3E)", "%20xmlns='1'".replace('\'', "%27").repeat(20));
        assert_eq!(cut(&percent), ("![x](data:image/svg+xml,…)".to_owned(), 1, 0));
        for text in [
            "data: a word, and text that goes on without an end",
            "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
            "metadata:title,is a line",
        ] {
            assert_eq!(cut(text).1, 0, "{text}");
        }
    }

    #[test]
    fn blobs_without_spaces() {
        for blob in [data(300), hex(400), data(100_000)] {
            for (before, after) in [("", ""), ("A key: ", " and text"), ("äöü ", "\n"), ("x\n\n", "?")] {
                let text = format!("{before}{blob}{after}");
                assert_eq!(cut(&text), (format!("{before}…{after}"), 0, 1), "{before}{after}");
            }
        }
        let two = format!("{} and {} and text", data(300), data(400));
        assert_eq!(cut(&two), ("… and … and text".to_owned(), 0, 2));
        let lines: String = data(76 * 9 + 20)
            .as_bytes()
            .chunks(76)
            .map(|line| format!("{}\n", std::str::from_utf8(line).unwrap()))
            .collect();
        let message = format!("-----BEGIN CERTIFICATE-----\n{lines}-----END CERTIFICATE-----\n");
        assert_eq!(
            cut(&message),
            ("-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n".to_owned(), 0, 1)
        );
    }

    #[test]
    fn what_stays() {
        let hashes =
            (0..20).map(|at| format!("{}\n", &hex(2_000)[at * 64..at * 64 + 64])).collect::<String>();
        for text in [
            hashes,
            data(200),
            "-".repeat(1_000),
            "=-".repeat(500),
            "ab".repeat(500),
            "漢字".repeat(500),
            "Donaudampfschifffahrtsgesellschaft".repeat(20),
            "/usr/share/doc/some-1/path/to/a/file/".repeat(20),
            "a_name_of_2_words_".repeat(40),
            "https://example.org/?a=1&b=2&".repeat(40),
            "{\"key1\":[1,2,3],\"key2\":\"value\"},".repeat(40),
            "Words of a text with numbers 1 and 2. ".repeat(40),
        ] {
            assert_eq!(without_blobs(&text), None, "{text}");
        }
    }

    #[test]
    fn the_words_of_a_text() {
        assert_eq!(words(&format!("Some  words\n{} more", data(41))), "Some words more");
        assert_eq!(words(&data(4_000)), "");
        let chinese = "漢字".repeat(100);
        assert_eq!(words(&chinese), chinese);
    }

    #[test]
    fn for_people() {
        let shown = |uris, blobs| LeftOut { uris, blobs, characters: 3456 }.to_string();
        assert_eq!(shown(2, 1), "2 data URIs and 1 block of base64 (3456 characters)");
        assert_eq!(shown(1, 0), "1 data URI (3456 characters)");
        assert_eq!(shown(0, 3), "3 blocks of base64 (3456 characters)");
    }

    proptest! {
        /// A blob is found wherever it stands.
        #[test]
        fn blobs_are_found(before in "[a-z .\\n]{0,700}", length in 300..900_usize, after in "[ .][a-z .]{0,700}") {
            let text = format!("{before} {}{after}", data(length));
            let (cut, left_out) = without_blobs(&text).unwrap();
            prop_assert_eq!(cut, format!("{before} …{after}"));
            prop_assert_eq!(left_out, LeftOut { uris: 0, blobs: 1, characters: length });
        }

        #[test]
        fn prose_stays(text in "([a-zäß]{1,30}[ .,\\n]){0,200}") {
            prop_assert_eq!(without_blobs(&text), None);
        }
    }
}
