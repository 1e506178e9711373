//! Sentence ends at white space: the rules of UAX 29 (Unicode Text Segmentation, section 5) with two
//! departures. A line end alone does not end a sentence, so hard-wrapped prose is cut where its sentences
//! end. A few abbreviations do not end one either.

use unicode_segmentation::UnicodeSegmentation;

/// The most closing marks between the full stop and the white space, and the most characters examined to find
/// the first letter of what follows. UAX 29 sets no bound; a malicious text must not exploit that.
const NEAR: usize = 8;

const ABBREVIATIONS: [&str; 22] = [
    "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Rev", "Gen", "Col", "Capt", "Lt", "Sgt", "Hon", "vs", "cf",
    "viz", "e.g", "i.e", "No", "Fig", "Vol", "approx",
];

/// Whether a sentence ends between `before` (up to the white space) and `after` (from the next content on).
/// `line_end`: the white space contains a line end, where a colon or semicolon counts as a full stop.
pub(crate) fn ends_sentence(before: &str, after: &str, line_end: bool) -> bool {
    let mut closers = 0;
    let mut tail = before.chars().rev();
    let Some(terminal) = tail.by_ref().find(|&c| {
        closers += 1;
        closers > NEAR || !is_closer(c)
    }) else {
        return false;
    };
    match terminal {
        ':' | ';' => line_end,
        '.' if closers == 1 && is_abbreviation(&before[..before.len() - 1]) => false,
        '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}' => !continues(after) && !starts_small(after),
        _ => is_terminal(terminal) && !continues(after),
    }
}

/// Sentence_Break = STerm: full stops that have no other meaning.
pub(crate) fn is_terminal(c: char) -> bool {
    match c {
        '!' | '?' | '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' => true,
        _ if c.is_ascii() || c.is_alphanumeric() => false,
        // The crate does not publish its tables, so ask it whether a sentence would end here.
        _ => [c, ' ', 'A'].iter().collect::<String>().split_sentence_bounds().nth(1).is_some(),
    }
}

/// Sentence_Break = Close, limited to marks that occur at the end of sentences.
pub(crate) fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '*' | '_' | '\u{2018}'..='\u{201f}' | '»' | '›' | '「'..='』' | '）'
        | '】' | '》' | '〉' | '〕' | '］' | '｣')
}

/// UAX 29 rule SB8a: a comma, a dash or another full stop continues the sentence.
fn continues(after: &str) -> bool {
    after.starts_with([
        ',', '-', ':', ';', '.', '!', '?', '\u{2013}', '\u{2014}', '、', '，', '；', '：', '؛', '،',
    ])
}

/// UAX 29 rule SB8: after a full stop, a lowercase letter continues the sentence.
fn starts_small(after: &str) -> bool {
    after.chars().take(NEAR).find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase)
}

/// Whether the text up to (excluding) a full stop ends with an abbreviation or an initial.
fn is_abbreviation(before: &str) -> bool {
    let tail = before.len().saturating_sub(NEAR);
    let tail = &before.as_bytes()[tail..];
    let word =
        tail.rsplit(|b| b.is_ascii_whitespace() || matches!(b, b'(' | b'"' | b'[')).next().unwrap_or(tail);
    match word {
        [initial] => initial.is_ascii_uppercase() && *initial != b'I',
        _ => ABBREVIATIONS.iter().any(|known| known.as_bytes() == word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_ends() {
        for (before, after) in [
            ("It rained.", "We stayed"),
            ("(It rained.)", "We"),
            ("“It rained.”", "“We"),
            ("Really?", "yes"),
            ("走了。", "他"),
            ("هل ذهب؟", "نعم"),
            ("गया।", "वह"),
            ("so did I.", "Then"),
        ] {
            assert!(ends_sentence(before, after, false), "{before} {after}");
        }
    }

    #[test]
    fn no_sentence_ends() {
        for (before, after) in [
            ("said Mr.", "Fox"),
            ("cats, e.g.", "Tom"),
            ("John F.", "Kennedy"),
            ("approx.", "three"),
            ("Well . .", ". he"),
            ("in 1998.", "12 years"),
            ("the list:", "One"),
            ("Hello", "World"),
            ("", "World"),
        ] {
            assert!(!ends_sentence(before, after, false), "{before} {after}");
        }
        assert!(ends_sentence("the list:", "One", true));
    }
}
