//! The first sentences of a text, which stand for a summary where nobody wrote one.

use crate::chunk::{Settings, Strategy, body_start, chunks};

/// The first sentences of a text, at most `size` characters: its first chunk that has more than headings, after a byte order
/// mark, YAML front matter and white space. `start` is the beginning of the text; None where it `is_part` of the text and too
/// short to tell, which [`characters_to_read`] makes rare.
pub fn first_sentences(start: &str, is_part: bool, size: usize) -> Option<&str> {
    let settings = Settings::new(size, 0, Strategy::Text).ok()?;
    // Front matter that does not end within these is none: a text may begin with a line across the page.
    let front = first_characters(start, FRONT_MATTER);
    if is_part && front.len() == start.len() {
        return None;
    }
    let mut rest = &start[body_start(front)..];
    let mut headings = "";
    for _ in 0..MAX_CHUNKS {
        rest = rest.trim_start();
        // As many characters as decide where the chunk ends, so that no more than these have to be known.
        let window = first_characters(rest, 2 * size);
        if is_part && window.len() == rest.len() {
            return None;
        }
        let Some(chunk) = chunks(window, &settings).next() else { break };
        let text = &window[chunk.bytes.clone()];
        if !is_headings(text) {
            return Some(text);
        }
        if headings.is_empty() {
            headings = text;
        }
        rest = &rest[chunk.bytes.end..];
    }
    // Little but headings, or front matter alone.
    Some(if headings.is_empty() { first_chunk(start.trim_start(), &settings, 2 * size) } else { headings })
}

/// After so many chunks of nothing but headings, the first one is taken.
const MAX_CHUNKS: usize = 5;

/// Front matter has at most so many characters.
const FRONT_MATTER: usize = 1_500;

/// How many characters of a text to read for [`first_sentences`]: there is room for front matter or headings before them.
pub const fn characters_to_read(size: usize) -> usize {
    2 * size + FRONT_MATTER + 500
}

fn first_chunk<'a>(text: &'a str, settings: &Settings, characters: usize) -> &'a str {
    let window = first_characters(text, characters);
    chunks(window, settings).next().map_or("", |chunk| &window[chunk.bytes])
}

fn first_characters(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// Whether a text consists of Markdown headings, each a paragraph of its own: lines of `#` that follow each other may be
/// comments of a program.
fn is_headings(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).peekable();
    let mut any = false;
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        any = true;
        let is_underlined = lines.next_if(|next| is_underline(next)).is_some();
        let is_alone = lines.peek().is_none_or(|next| next.is_empty());
        if !is_alone || !(is_underlined || is_marked(line)) {
            return false;
        }
    }
    any
}

/// Whether a line is a heading that begins with `#`.
fn is_marked(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - rest.len())) && rest.starts_with([' ', '\t'])
}

/// Whether a line makes a heading of the line above.
fn is_underline(line: &str) -> bool {
    line.len() >= 2 && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, proptest};

    fn of_whole(text: &str, size: usize) -> &str {
        first_sentences(text, false, size).unwrap()
    }

    /// A sentence of this many characters.
    fn sentence(length: usize) -> String {
        format!("Word {}.", "word ".repeat(length / 5 - 1).trim_end())
    }

    #[test]
    fn a_text_that_fits_is_given_whole() {
        for text in ["", "One.", "One. Two.\n\nThree.", "# Only a heading", "Name\n===="] {
            assert_eq!(of_whole(text, 300), text);
        }
        assert_eq!(of_whole(" \n\t\u{c}\u{a0} One. ", 300), "One.");
    }

    #[test]
    fn a_longer_text_ends_with_a_sentence() {
        let text = format!("{} {} {}", sentence(100), sentence(100), sentence(200));
        assert_eq!(of_whole(&text, 300), format!("{} {}", sentence(100), sentence(100)));
    }

    #[test]
    fn headings_alone_are_no_summary() {
        let heading =
            "# A heading that is long enough to fill a quarter of what an abstract may have of characters";
        let underlined = format!("{}\n====", &heading[2..]);
        for heading in [heading.to_string(), format!("{heading}\n\n## {heading}"), underlined] {
            let text = format!("{heading}\n\n{}", sentence(290));
            assert_eq!(of_whole(&text, 300), sentence(290), "{heading}");
        }
        // A short one precedes its text.
        let text = format!("# Tea\n\n{}", sentence(100));
        assert_eq!(of_whole(&text, 300), text);
    }

    #[test]
    fn comments_of_a_program_are_kept() {
        let comments = "# One line of a license that is long, and says nothing much.\n".repeat(6);
        let text = format!("{comments}\ndef main():\n    pass\n");
        assert!(of_whole(&text, 300).starts_with("# One line"));
    }

    #[test]
    fn front_matter_is_skipped() {
        let text = format!("\u{feff}---\ntitle: Tea\ntags: [a, b]\n---\n\n{}", sentence(100));
        assert_eq!(of_whole(&text, 300), sentence(100));
        assert_eq!(of_whole("---\ntitle: Tea\n---\n", 300), "---\ntitle: Tea\n---");
    }

    #[test]
    fn a_start_that_does_not_tell_is_no_answer() {
        let white = " ".repeat(characters_to_read(300));
        assert_eq!(first_sentences(&white, true, 300), None);
        assert_eq!(first_sentences("One.", true, 300), None);
        assert_eq!(first_sentences(&white, false, 300), Some(""));
    }

    /// Texts as people write them.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "word ",
            "another ",
            "Mr. X ",
            "end. ",
            "Well? ",
            "3.14 ",
            "\n",
            "\n\n",
            "# Heading\n\n",
            "漢字。",
            "ไทย",
            "Überschrift ",
            "e.g. this ",
            "“Quoted.” ",
            "- item\n",
            "\u{c}",
            "| a | b |\n",
            "```\ncode\n```\n",
            "http://example.com/a/b ",
        ]);
        prop::collection::vec(piece, 0..900).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn the_start_of_a_text_is_enough(text in text(), size in 20usize..400) {
            let start = first_characters(&text, characters_to_read(size));
            let is_part = start.len() < text.len();
            if let Some(found) = first_sentences(start, is_part, size) {
                prop_assert_eq!(found, of_whole(&text, size));
            }
            // Without much before the text, it always is.
            if !text.contains(['#', '\u{c}', '\n']) {
                prop_assert!(first_sentences(start, is_part, size).is_some());
            }
        }

        #[test]
        fn it_is_the_first_chunk_of_the_text(text in text(), size in 20usize..400) {
            let whole = text.trim_start();
            let settings = Settings::new(size, 0, crate::chunk::Strategy::Text).unwrap();
            let first = chunks(whole, &settings).next().map_or("", |chunk| &whole[chunk.bytes]);
            let found = of_whole(&text, size);
            if !is_headings(first) {
                prop_assert_eq!(found, first);
            }
            prop_assert!(found.chars().count() <= size);
            prop_assert_eq!(found.is_empty(), whole.is_empty());
        }
    }
}
