//! What a user types into a search box: words, "exact phrases", -excluded words.
//!
//! The words are ranked as an OR; a phrase must occur and an excluded word must not, as in PostgreSQL's
//! `websearch_to_tsquery`. The word `or` needs no treatment: everything that is not excluded is an OR.

use std::collections::{HashMap, HashSet};

/// A parsed query. Parsing never fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebSearch<'a> {
    /// Pieces of text whose words are ranked: everything that is not excluded, including the phrases.
    pub words: Vec<&'a str>,
    /// Text in quotes.
    pub phrases: Vec<&'a str>,
    /// A word or phrase after a minus sign.
    pub excluded: Vec<&'a str>,
}

impl<'a> WebSearch<'a> {
    /// The same query without repeated phrases and exclusions.
    pub fn distinct(mut self) -> WebSearch<'a> {
        for list in [&mut self.phrases, &mut self.excluded] {
            let mut seen = HashSet::new();
            list.retain(|text| seen.insert(*text));
        }
        self
    }
}

/// The number of lexemes in the text form of a tsquery as PostgreSQL writes it: each in single quotes, with
/// quotes inside doubled.
pub fn lexeme_count(tsquery: &str) -> usize {
    let (mut count, mut within) = (0, false);
    let mut bytes = tsquery.bytes().peekable();
    while let Some(byte) = bytes.next() {
        // Two lexemes are never adjacent, so a second quote belongs to the lexeme.
        if byte == b'\'' && !(within && bytes.next_if_eq(&b'\'').is_some()) {
            count += usize::from(!within);
            within = !within;
        }
    }
    count
}

/// The conditions of a tsquery in text form: the operands of the phrase operators and ANDs at its top level. A
/// tsquery with an OR or a NOT there is its own only operand.
pub fn demanded(tsquery: &str) -> Vec<&str> {
    let (mut operands, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, byte) in unquoted(tsquery) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ if depth > 0 => {}
            b'|' | b'!' => return vec![tsquery.trim()],
            b'&' | b'<' => {
                operands.push(&tsquery[start..at]);
                start = at + 1;
            }
            b'>' => start = at + 1,
            _ => {}
        }
    }
    operands.push(&tsquery[start..]);
    operands.into_iter().map(str::trim).collect()
}

/// The bytes outside of lexemes, with their positions.
fn unquoted(tsquery: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut within = false;
    // A quote inside a lexeme is doubled, so no byte between the two is outside of the lexeme.
    tsquery.bytes().enumerate().filter(move |(_, byte)| {
        let is_quote = *byte == b'\'';
        within ^= is_quote;
        !within && !is_quote
    })
}

/// Opening quotes with the closing ones: straight, and as programs for writing set them in many languages.
const QUOTES: [(char, &[char]); 7] = [
    ('"', &['"']),
    ('\u{201c}', &['\u{201c}', '\u{201d}']),
    ('\u{201d}', &['\u{201c}', '\u{201d}']),
    ('\u{201e}', &['\u{201c}', '\u{201d}']),
    ('\u{ab}', &['\u{bb}']),
    ('\u{bb}', &['\u{ab}']),
    ('\u{300c}', &['\u{300d}']),
];

/// The closing quotes for an opening one; none for other characters.
fn closing(opening: char) -> &'static [char] {
    QUOTES.iter().find(|(quote, _)| *quote == opening).map_or(&[], |(_, closing)| closing)
}

/// The quotes of a query.
struct Quotes<'a> {
    query: &'a str,
    /// The last place of each closing quote, so that an opening one without it is seen at once.
    last: HashMap<char, usize>,
}

impl<'a> Quotes<'a> {
    fn of(query: &'a str) -> Quotes<'a> {
        let is_closing = |(c, _): &(char, usize)| QUOTES.iter().any(|(_, closing)| closing.contains(c));
        Quotes { query, last: query.char_indices().map(|(at, c)| (c, at)).filter(is_closing).collect() }
    }

    /// Whether a phrase begins with the rest of the query.
    fn begins(&self, rest: &str) -> bool {
        let at = self.query.len() - rest.len();
        let Some(opening) = rest.chars().next() else { return false };
        closing(opening).iter().any(|closing| self.last.get(closing).is_some_and(|last| *last > at))
    }

    /// The phrase that begins with the rest of the query, and what follows it.
    fn phrase(&self, rest: &'a str) -> Option<(&'a str, &'a str)> {
        let opening = rest.chars().next().filter(|_| self.begins(rest))?;
        let within = &rest[opening.len_utf8()..];
        let (end, closing) = within.match_indices(closing(opening)).next()?;
        Some((&within[..end], &within[end + closing.len()..]))
    }
}

/// Parses a query. An unpaired quote counts as punctuation; a minus sign excludes only at the start of a
/// word.
pub fn parse(query: &str) -> WebSearch<'_> {
    let mut parsed = WebSearch::default();
    let quotes = Quotes::of(query);
    let mut rest = query;
    while let Some(at) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[at..];
        let minus = rest.starts_with('-');
        let piece = if minus { &rest[1..] } else { rest };
        let quoted = quotes.phrase(piece);
        let (text, after) = match quoted {
            Some((phrase, after)) => {
                if !minus {
                    parsed.phrases.push(phrase);
                }
                (phrase, after)
            }
            None => {
                // A word ends at white space, or where a phrase begins.
                let end = piece
                    .char_indices()
                    .skip(1)
                    .find(|(i, c)| c.is_whitespace() || quotes.begins(&piece[*i..]))
                    .map_or(piece.len(), |(i, _)| i);
                piece.split_at(end)
            }
        };
        if minus {
            parsed.excluded.push(text);
        } else {
            parsed.words.push(text);
        }
        rest = after;
    }
    parsed.excluded.retain(|text| !text.is_empty());
    parsed.words.retain(|text| !text.is_empty());
    parsed.phrases.retain(|text| !text.trim().is_empty());
    parsed
}

/// All lexemes of a tsquery in text form, in their order.
pub fn lexemes(tsquery: &str) -> Vec<String> {
    let (mut lexemes, mut characters) = (Vec::new(), tsquery.chars().peekable());
    while let Some(character) = characters.next() {
        if character != '\'' {
            continue;
        }
        let mut lexeme = String::new();
        while let Some(character) = characters.next() {
            // Quotes and backslashes are doubled; a quote that is not ends the lexeme.
            if matches!(character, '\'' | '\\') && characters.next_if_eq(&character).is_none() {
                break;
            }
            lexeme.push(character);
        }
        lexemes.push(lexeme);
    }
    lexemes
}

/// The lexeme of an operand as [`demanded`] gives it, without quotes; None for an operand of several lexemes.
pub fn single_lexeme(operand: &str) -> Option<String> {
    let inner = operand.trim().strip_prefix('\'')?.strip_suffix('\'')?;
    let mut lexeme = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        // Quotes and backslashes are doubled; a quote that is not ends the lexeme.
        if matches!(character, '\'' | '\\') && characters.next() != Some(character) {
            return None;
        }
        lexeme.push(character);
    }
    Some(lexeme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_all_lexemes() {
        for (tsquery, found) in [
            ("", vec![]),
            ("'haus'", vec!["haus"]),
            (
                r"('a' <-> 'b':A | 'häus') & !('o''neil' | 'c\\d' <2> 'x')",
                vec!["a", "b", "häus", "o'neil", r"c\d", "x"],
            ),
            ("'unclosed", vec!["unclosed"]),
        ] {
            assert_eq!(lexemes(tsquery), found, "{tsquery}");
        }
    }
    use proptest::prelude::*;

    #[test]
    fn keeps_the_meaning_of_web_search() {
        let parsed = parse("how to \"set a timeout\" in ureq -async -\"old version\" or so");
        assert_eq!(parsed.words, ["how", "to", "set a timeout", "in", "ureq", "or", "so"]);
        assert_eq!(parsed.phrases, ["set a timeout"]);
        assert_eq!(parsed.excluded, ["async", "old version"]);
    }

    #[test]
    fn phrases_stand_in_any_quotes() {
        for query in ["a “b c” -„d e“ f", "a ”b c” -«d e» f", "a »b c« -「d e」 f", "a »b c« -\"d e\" f"]
        {
            let parsed = parse(query);
            assert_eq!(parsed.words, ["a", "b c", "f"], "{query}");
            assert_eq!((parsed.phrases, parsed.excluded), (vec!["b c"], vec!["d e"]), "{query}");
        }
        for query in ["5” and «x", "Home » Docs » Install", "„a"] {
            assert_eq!(parse(query).phrases, Vec::<&str>::new(), "{query}");
        }
        assert_eq!(parse(&"«".repeat(32_768)).words.len(), 1);
        assert_eq!(parse("size“12 inch”").phrases, ["12 inch"]);
    }

    #[test]
    fn odd_quotes_and_signs_are_text() {
        assert_eq!(parse("say \"hello").words, ["say", "\"hello"]);
        assert_eq!(parse("well-known e-mail").words, ["well-known", "e-mail"]);
        assert_eq!(parse("- -- \"\"").phrases, Vec::<&str>::new());
        assert_eq!(parse("size\"12 inch\"").phrases, ["12 inch"]);
        assert_eq!(parse(""), WebSearch::default());
    }

    #[test]
    fn what_is_said_twice_counts_once() {
        let parsed = parse("\"a b\" a -c \"a b\" -c -d").distinct();
        assert_eq!(parsed.words, ["a b", "a", "a b"]);
        assert_eq!(parsed.phrases, ["a b"]);
        assert_eq!(parsed.excluded, ["c", "d"]);
    }

    #[test]
    fn counts_the_lexemes_of_a_tsquery() {
        for (tsquery, count) in [
            ("", 0),
            ("('set' <-> 'timeout') & !('async' | 'old' <2> 'version')", 5),
            (r"'it''s' & '''' & '\\' & 'a''''b'", 4),
            ("'&' | '!(' & '<->'", 3),
        ] {
            assert_eq!(lexeme_count(tsquery), count, "{tsquery}");
        }
    }

    #[test]
    fn finds_what_a_tsquery_demands() {
        for (tsquery, operands) in [
            ("'a'", vec!["'a'"]),
            ("'it''s' <-> 'a & b' <12> 'c<->d' & '\\\\'", vec!["'it''s'", "'a & b'", "'c<->d'", "'\\\\'"]),
            (
                "'sky' <-> ( 'skies' | 'sky' <-> 'x' ) & '|'",
                vec!["'sky'", "( 'skies' | 'sky' <-> 'x' )", "'|'"],
            ),
            ("'a' <-> 'b' | 'b'", vec!["'a' <-> 'b' | 'b'"]),
        ] {
            assert_eq!(demanded(tsquery), operands, "{tsquery}");
        }
    }

    #[test]
    fn takes_single_lexemes_out_of_their_quotes() {
        for (operand, lexeme) in [
            ("'sky'", Some("sky")),
            ("'it''s'", Some("it's")),
            (r"'a\\b'", Some(r"a\b")),
            ("( 'skies' | 'sky' )", None),
            ("'a' & 'b'", None),
            ("'", None),
        ] {
            assert_eq!(single_lexeme(operand).as_deref(), lexeme, "{operand}");
        }
    }

    proptest! {
        #[test]
        fn what_a_tsquery_demands_is_all_there(lexemes in prop::collection::vec("[a-c '|&<>()!-]{1,6}", 1..8)) {
            let quoted: Vec<String> = lexemes.iter().map(|lexeme| format!("'{}'", lexeme.replace('\'', "''"))).collect();
            let phrase = quoted.join(" <-> ");
            prop_assert_eq!(demanded(&phrase), quoted.iter().map(String::as_str).collect::<Vec<_>>());
            let single: Vec<_> = demanded(&phrase).into_iter().map(single_lexeme).collect();
            prop_assert_eq!(single, lexemes.into_iter().map(Some).collect::<Vec<_>>());
        }

        #[test]
        fn loses_no_word(query in "[a-c \"-]{0,40}|\\PC{0,40}") {
            let parsed = parse(&query);
            let kept: String = parsed.words.iter().chain(&parsed.excluded).flat_map(|t| t.chars()).filter(|c| c.is_alphanumeric()).collect();
            let all: String = query.chars().filter(|c| c.is_alphanumeric()).collect();
            prop_assert_eq!(kept.chars().count(), all.chars().count());
        }
    }
}
