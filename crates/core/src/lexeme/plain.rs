//! Words that PostgreSQL's parser reads alone as it reads them within their text.

use super::fold::is_plain_lower;
use super::token::trimmed;

/// A piece of plain text ([`Unit::Text`](super::Unit::Text)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A word without the signs of the sentence around it.
    Word(&'a str),
    /// Text that the parser must see as a whole.
    Text(&'a str),
}

/// Passes the pieces of plain text to `take`, in order. The parser finds in them, one after the other, the words that it finds in the
/// text. Between spaces it reads from left to right, and a space ends each word, except within the tags of a page. What it makes of
/// a sign depends on those before and after it, and two points are a path; so only letters and digits between the plainest signs are
/// words here.
pub fn each_piece<'a>(text: &'a str, mut take: impl FnMut(Piece<'a>)) {
    let mut from = 0;
    if !text.contains('<') {
        for token in text.split_ascii_whitespace() {
            let Some(word) = word(token) else { continue };
            let start = token.as_ptr().addr() - text.as_ptr().addr();
            rest(text, from, start).map(Piece::Text).into_iter().for_each(&mut take);
            take(Piece::Word(word));
            from = start + token.len();
        }
    }
    rest(text, from, text.len()).map(Piece::Text).into_iter().for_each(&mut take);
}

/// The text between two words, unless it has no words for sure.
fn rest(text: &str, from: usize, to: usize) -> Option<&str> {
    let is_empty = |byte: u8| byte.is_ascii_whitespace() || b"()[]{}\"'*,;:!?.-".contains(&byte);
    text.get(from..to).filter(|rest| !rest.bytes().all(is_empty) || rest.contains(".."))
}

/// The word of a token, if it is one between signs that say nothing.
fn word(token: &str) -> Option<&str> {
    let word = trimmed(token);
    let is_letter = |c: char| is_plain_lower(c) || c.is_alphanumeric() || c == '\'';
    let is_word = if word.is_ascii() {
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'\'')
    } else {
        word.chars().all(is_letter)
    };
    (is_word && !word.is_empty() && (word.len() == token.len() || !token.contains(".."))).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::super::compound::is_of_word;
    use super::*;
    use proptest::prelude::*;

    fn pieces(text: &str) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        each_piece(text, |piece| pieces.push(piece));
        pieces
    }

    #[test]
    fn words_stand_alone() {
        use Piece::{Text, Word};
        assert_eq!(pieces("(The) end, für 12."), [Word("The"), Word("end"), Word("für"), Word("12")]);
        assert_eq!(pieces("it's - so"), [Word("it's"), Word("so")]);
        assert_eq!(pieces("see ./a -5 to b"), [Word("see"), Text(" ./a -5 "), Word("to"), Word("b")]);
        assert_eq!(pieces("a <b c"), [Text("a <b c")]);
        assert_eq!(pieces(" - (.) "), []);
        assert_eq!(pieces("a.. ..."), [Text("a.. ...")]);
        assert_eq!(pieces("a. & b"), [Word("a"), Text(" & "), Word("b")]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "([a-z0-9é'./<_-]{1,3}|[ \\t\u{a0}]){0,20}|\\PC{0,30}") {
            let mut left = text.as_str();
            for piece in pieces(&text) {
                let (Piece::Word(found) | Piece::Text(found)) = piece;
                let Some((before, after)) = left.split_once(found) else { return Err(TestCaseError::fail("not in order")) };
                prop_assert!(!before.contains(is_of_word), "{:?} is lost", before);
                left = after;
            }
            prop_assert!(!left.contains(is_of_word), "{:?} is lost", left);
        }
    }
}
