//! Numbers with separators, in one form: 1,250,000 and 1.250.000 and 1 250 000 are 1250000, and 3,5 may be 3.5.

/// Which sign a language writes between a number and its fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalMark {
    /// 3.5 and 1,250,000.
    Point,
    /// 3,5 and 1.250.000.
    Comma,
    /// Not known: 3,5 is read in both ways.
    Either,
}

impl DecimalMark {
    /// That of a text search configuration of PostgreSQL, given by its name without a schema.
    pub fn of_config(name: &str) -> DecimalMark {
        match name {
            "english" | "hindi" | "irish" | "nepali" | "tamil" | "yiddish" => DecimalMark::Point,
            "armenian" | "basque" | "catalan" | "danish" | "dutch" | "estonian" | "finnish" | "french"
            | "german" | "greek" | "hungarian" | "indonesian" | "italian" | "lithuanian" | "norwegian"
            | "portuguese" | "romanian" | "russian" | "serbian" | "spanish" | "swedish" | "turkish" => {
                DecimalMark::Comma
            }
            _ => DecimalMark::Either,
        }
    }

    fn may_be(self, mark: char) -> bool {
        match self {
            DecimalMark::Either => true,
            DecimalMark::Point => mark == '.',
            DecimalMark::Comma => mark == ',',
        }
    }
}

/// Digits before the first separator of thousands, and between them.
const GROUP: usize = 3;

/// The possible readings of a number with points and commas, without separators of thousands and with a point before the fraction.
/// Empty for one without a separator, and for what is no number, such as a version or a date.
pub fn plain_numbers(text: &str, mark: DecimalMark) -> Vec<String> {
    let mut forms = Vec::new();
    for (decimal, thousands) in [('.', ','), (',', '.')] {
        if let Some(form) = read(text, decimal, thousands, mark)
            && form != text
            && !forms.contains(&form)
        {
            forms.push(form);
        }
    }
    forms
}

fn read(text: &str, decimal: char, thousands: char, mark: DecimalMark) -> Option<String> {
    let (whole, fraction) = match text.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let groups: Vec<&str> = whole.split(thousands).collect();
    let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !groups.iter().all(is_digits) || !fraction.is_none_or(|fraction| is_digits(&fraction)) {
        return None;
    }
    // Of a single separator the language tells what it is; several of the same are of thousands.
    let is_ambiguous = groups.len() + usize::from(fraction.is_some()) == 2;
    if is_ambiguous && !mark.may_be(decimal) {
        return None;
    }
    if groups.len() > 1 {
        let is_grouped = groups.iter().skip(1).all(|group| group.len() == GROUP)
            && groups.first().is_some_and(|first| first.len() <= GROUP);
        if !is_grouped {
            return None;
        }
    }
    let whole = groups.concat();
    match fraction {
        // 1,250.00 is 1250.
        Some(fraction) if fraction.len() == 2 && fraction.bytes().all(|byte| byte == b'0') => Some(whole),
        Some(fraction) => Some(format!("{whole}.{fraction}")),
        None => Some(whole),
    }
}

/// The length in bytes of a number at the start of a text whose groups of three digits stand apart, as 1 250 000, and the number
/// without spaces. The groups are followed by no further digit or letter.
pub fn spaced_number(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let first = digits(0);
    if first == 0 || first > GROUP {
        return None;
    }
    let (mut end, mut number) = (first, text.get(..first)?.to_string());
    while bytes.get(end) == Some(&b' ') && digits(end + 1) == GROUP {
        number.push_str(text.get(end + 1..end + 1 + GROUP)?);
        end += 1 + GROUP;
    }
    let mut rest = text.get(end..)?.chars();
    let ends = match rest.next() {
        Some(c) if c.is_alphanumeric() => false,
        // A sign that ends a sentence, not one within a number or name.
        Some(',' | '.' | '-' | '/') => !rest.next().is_some_and(char::is_alphanumeric),
        _ => true,
    };
    (end > first && ends).then_some((end, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_of_thousands_are_left_out() {
        for mark in [DecimalMark::Point, DecimalMark::Comma, DecimalMark::Either] {
            for text in ["1,250,000", "1.250.000"] {
                assert_eq!(plain_numbers(text, mark), ["1250000"], "{text} {mark:?}");
            }
            assert_eq!(plain_numbers("1,250,000.5", mark), ["1250000.5"]);
            assert_eq!(plain_numbers("1.250,00", mark), ["1250"]);
        }
    }

    #[test]
    fn the_language_tells_what_a_single_separator_is() {
        assert_eq!(plain_numbers("1,250", DecimalMark::Point), ["1250"]);
        assert_eq!(plain_numbers("1,250", DecimalMark::Comma), ["1.250"]);
        assert_eq!(plain_numbers("1.250", DecimalMark::Comma), ["1250"]);
        assert_eq!(plain_numbers("1.250", DecimalMark::Point), Vec::<String>::new());
        assert_eq!(plain_numbers("3,5", DecimalMark::Comma), ["3.5"]);
        assert_eq!(plain_numbers("3,5", DecimalMark::Either), ["3.5"]);
        assert_eq!(plain_numbers("1,250", DecimalMark::Either), ["1250", "1.250"]);
    }

    #[test]
    fn what_is_no_number_has_no_form() {
        for text in
            ["", "125", "2.14.3", "10.11.2024", "1,25,000", "1,,2", ".", "1.", ",5", "12a,5", "1234,567,890"]
        {
            assert_eq!(plain_numbers(text, DecimalMark::Either), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn groups_may_stand_apart() {
        assert_eq!(spaced_number("1 250 000 euro"), Some((9, "1250000".to_string())));
        assert_eq!(spaced_number("12 500."), Some((6, "12500".to_string())));
        for text in ["1 250a", "1 25", "1234 567", "1", "x", "1 250-7"] {
            assert_eq!(spaced_number(text), None, "{text}");
        }
    }
}
