//! The text of pages from their paragraphs: words that were divided at the ends of lines are joined.

use std::collections::HashSet;

use super::layout::Paragraph;

/// A hyphen that was put in to divide a word.
const SOFT_HYPHEN: char = '\u{AD}';

/// Words that a file has within lines, in lower case.
#[derive(Default)]
pub struct Words(HashSet<String>);

impl Words {
    /// The words of pages, if they have divided ones.
    pub fn from_pages<'a>(pages: impl Iterator<Item = &'a [Paragraph]> + Clone) -> Self {
        let lines = || pages.clone().flatten().flatten();
        if !lines().any(|line| divided(line).is_some()) {
            return Self::default();
        }
        let words = lines().flat_map(|line| line.split(' ')).map(bare).filter(|word| word.len() > 1);
        Self(words.map(str::to_lowercase).collect())
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(&bare(word).to_lowercase())
    }
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The first part of the word that is divided at the end of a line, without its hyphen.
fn divided(line: &str) -> Option<&str> {
    let first = line.strip_suffix(['-', '\u{2010}', SOFT_HYPHEN])?;
    first.chars().next_back().filter(|c| c.is_alphanumeric())?;
    first.rsplit(' ').next()
}

/// The text of a page: lines with a line feed between them, paragraphs with an empty line.
pub fn page(paragraphs: &[Paragraph], words: &Words) -> String {
    let texts: Vec<String> = paragraphs.iter().map(|lines| paragraph(lines, words)).collect();
    texts.join("\n\n")
}

fn paragraph(lines: &[String], words: &Words) -> String {
    let mut text = String::new();
    let mut carried = 0;
    for (at, line) in lines.iter().enumerate() {
        // What the line before has taken of this one.
        let line = line.get(carried..).unwrap_or_default().trim_start();
        carried = 0;
        if line.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let next = lines.get(at + 1);
        match (divided(line), next) {
            (Some(first), Some(next)) => {
                let second = next.split(' ').next().unwrap_or_default();
                let stem = line.len() - line.chars().next_back().map_or(0, char::len_utf8);
                match joined(line, first, second, words) {
                    Join::Word => {
                        text.push_str(line.get(..stem).unwrap_or(line));
                        text.push_str(second);
                        carried = second.len();
                    }
                    Join::Hyphen => {
                        text.push_str(line);
                        text.push_str(second);
                        carried = second.len();
                    }
                    Join::No => text.push_str(line),
                }
            }
            _ => text.push_str(line),
        }
    }
    text.chars().filter(|c| *c != SOFT_HYPHEN).collect()
}

enum Join {
    /// The hyphen only divides the word.
    Word,
    /// The hyphen belongs to the word.
    Hyphen,
    /// These are no parts of a word.
    No,
}

/// What a hyphen at the end of a line is. Words elsewhere in the file decide; without them a hyphen between two lower-case
/// parts, of which neither is a word with a hyphen already, divides a word.
fn joined(line: &str, first: &str, second: &str, words: &Words) -> Join {
    if !second.chars().next().is_some_and(char::is_alphabetic) {
        return Join::No;
    }
    if line.ends_with(SOFT_HYPHEN) {
        return Join::Word;
    }
    let lower = second.chars().next().is_some_and(char::is_lowercase);
    if words.has(&format!("{first}{second}")) && lower {
        Join::Word
    } else if words.has(&format!("{first}-{second}")) {
        Join::Hyphen
    } else if !lower || first.ends_with(char::is_numeric) {
        Join::No
    } else if first.contains(['-', '/', '_', '.', '@']) || second.contains(['_', '@']) {
        Join::Hyphen
    } else {
        Join::Word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> String {
        let pages = [vec![lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()]];
        let words = Words::from_pages(pages.iter().map(Vec::as_slice));
        page(&pages[0], &words)
    }

    #[test]
    fn hyphens() {
        assert_eq!(text(&["an exam-", "ple of it"]), "an example\nof it");
        assert_eq!(
            text(&["a well-known fact is well-", "known here"]),
            "a well-known fact is well-known\nhere"
        );
        assert_eq!(text(&["examples, an exam-", "ples."]), "examples, an examples.");
        assert_eq!(
            text(&["from A-", "Z and 3-", "4 or Jean-", "Paul"]),
            "from A-\nZ and 3-\n4 or Jean-\nPaul"
        );
        assert_eq!(text(&["Jean-Paul and Jean-", "Paul"]), "Jean-Paul and Jean-Paul");
        assert_eq!(
            text(&["a 32-bit and a 32-", "bit one, 64-", "bit"]),
            "a 32-bit and a 32-bit\none, 64-\nbit"
        );
        assert_eq!(text(&["state-of-", "the-art"]), "state-of-the-art");
        assert_eq!(text(&["soft\u{AD}", "ware so\u{AD}ft"]), "software\nsoft");
        assert_eq!(text(&["ends with exam-"]), "ends with exam-");
        assert_eq!(text(&["a di-", "vi-", "ded word"]), "a divi-\nded word");
    }
}
