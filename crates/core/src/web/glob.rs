//! Texts with `*` for any characters.

/// A pattern over a whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    /// What stands before, between and after the `*`.
    parts: Vec<String>,
}

impl Glob {
    /// A pattern of texts with a `*` between each two of them.
    pub fn of_parts(parts: impl IntoIterator<Item = String>) -> Self {
        Self { parts: parts.into_iter().collect() }
    }

    /// What stands before, between and after the `*`.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Whether it matches a text from its beginning to its end. The first place of each part is the best one, so that
    /// nothing is tried twice: the time is linear in both texts.
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return text.is_empty() };
        let Some((last, middle)) = rest.split_last() else { return text == first };
        let text = text.strip_prefix(first.as_str()).and_then(|text| text.strip_suffix(last.as_str()));
        let found = text.and_then(|text| {
            middle.iter().try_fold(text, |text, part| text.split_once(part.as_str()).map(|(_, rest)| rest))
        });
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn glob(pattern: &str) -> Glob {
        Glob::of_parts(pattern.split('*').map(str::to_owned))
    }

    /// By dynamic programming over all beginnings of both texts.
    fn matches_naively(pattern: &str, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let mut row: Vec<bool> = (0..=text.len()).map(|length| length == 0).collect();
        for c in pattern.chars() {
            let above = row.clone();
            row[0] = above[0] && c == '*';
            for length in 1..=text.len() {
                row[length] = match c {
                    '*' => above[length] || row[length - 1],
                    c => above[length - 1] && c == text[length - 1],
                };
            }
        }
        row[text.len()]
    }

    #[test]
    fn matches_whole_texts() {
        for (pattern, text, expected) in [
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("/a*", "/ab/c", true),
            ("*a", "/a", true),
            ("*a", "/ab", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a**b", "ab", true),
            ("a*b*b", "ab", false),
        ] {
            assert_eq!(glob(pattern).matches(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn time_is_linear() {
        let text = "a".repeat(200_000);
        assert!(!glob(&("*a".repeat(50_000) + "b")).matches(&text));
        assert!(!glob(&("*a".repeat(50_000) + "*b*")).matches(&text));
        assert!(!glob(&format!("*{}b*", "a".repeat(100_000))).matches(&text));
    }

    proptest! {
        #[test]
        fn agrees_with_a_naive_matcher(pattern in "[ab*]{0,12}", text in "[ab]{0,20}", any in any::<String>()) {
            prop_assert_eq!(glob(&pattern).matches(&text), matches_naively(&pattern, &text));
            prop_assert!(glob(&any.replace('*', "")).matches(&any.replace('*', "")));
            prop_assert!(glob(&any).matches(&any));
        }
    }
}
