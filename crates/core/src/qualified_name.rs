//! Qualified names as PostgreSQL writes them: `pg_catalog.english`, `"Our schema"."My ""own"" one"`.

/// The parts of a qualified name, without their quotes; unquoted parts are in lower case. None if it is not a
/// name.
pub fn parts(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_part(quoted)?,
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
                if !part.chars().all(is_plain) {
                    return None;
                }
                (part.to_ascii_lowercase(), after)
            }
        };
        if part.is_empty() || part.contains('\0') {
            return None;
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None => return after.is_empty().then_some(parts),
        }
    }
}

/// A part whose opening quote has been read, and the text after its closing quote. A quote inside is doubled.
pub(crate) fn quoted_part(text: &str) -> Option<(String, &str)> {
    let (mut part, mut rest) = (String::new(), text);
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None => return Some((part, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_postgresql_writes() {
        let of = |text| parts(text).unwrap_or_default();
        assert_eq!(of("pg_catalog.english"), ["pg_catalog", "english"]);
        assert_eq!(of("English"), ["english"]);
        assert_eq!(of(r#""A.b"."c ""d""".e"#), ["A.b", r#"c "d""#, "e"]);
        for text in ["", ".", "a.", ".a", "a b", "\"a", "\"a\"b", "\"\"", "a..b", "a\0", "'a'", "-"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn quoted_names_come_back(names in prop::collection::vec("[^\0]{1,8}", 1..4)) {
            let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
            prop_assert_eq!(parts(&quoted.join(".")), Some(names));
        }

        #[test]
        fn any_text_is_read(text in "[a-z\".\0]{0,12}|\\PC{0,12}") {
            let _ = parts(&text);
        }
    }
}
