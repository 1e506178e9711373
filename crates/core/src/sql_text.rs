//! Statements as PostgreSQL writes them.

/// A statement with another text in the string literals that stand before each `end`, such as `'old'::text AS model`.
pub fn with_literal(statement: &str, end: &str, text: &str) -> String {
    let mut made = String::with_capacity(statement.len());
    let mut rest = statement;
    while let Some((before, after)) = rest.split_once(end) {
        match literal_at_end(before) {
            Some(start) => {
                made.push_str(before.get(..start).unwrap_or_default());
                made.push('\'');
                made.push_str(&text.replace('\'', "''"));
                made.push('\'');
            }
            None => made.push_str(before),
        }
        made.push_str(end);
        rest = after;
    }
    made.push_str(rest);
    made
}

/// Where the string literal begins with which a text ends. None if it does not end with one.
fn literal_at_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = bytes.len().checked_sub(1).filter(|last| bytes.get(*last) == Some(&b'\''))?;
    loop {
        at = at.checked_sub(1)?;
        if bytes.get(at) != Some(&b'\'') {
            continue;
        }
        // A quote inside is doubled.
        match at.checked_sub(1).filter(|before| bytes.get(*before) == Some(&b'\'')) {
            Some(before) => at = before,
            None => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const END: &str = "::text AS model";

    #[test]
    fn the_literal_is_exchanged() {
        let of = |statement: &str, text: &str| with_literal(statement, END, text);
        assert_eq!(of("SELECT 'a/b'::text AS model, 1", "c"), "SELECT 'c'::text AS model, 1");
        assert_eq!(
            of("SELECT 'it''s', 'a''b'::text AS model", "c'd"),
            "SELECT 'it''s', 'c''d'::text AS model"
        );
        assert_eq!(of("SELECT name::text AS model", "c"), "SELECT name::text AS model");
        assert_eq!(of("SELECT ''::text AS model", "é"), "SELECT 'é'::text AS model");
        assert_eq!(of("'::text AS model", "c"), "'::text AS model");
        assert_eq!(of("SELECT 1", "c"), "SELECT 1");
    }

    proptest! {
        #[test]
        fn any_literal_is_exchanged(old in ".*", new in ".*") {
            let quoted = |text: &str| format!("SELECT '{}'{END}", text.replace('\'', "''"));
            prop_assume!(!old.contains(END));
            prop_assert_eq!(with_literal(&quoted(&old), END, &new), quoted(&new));
        }

        #[test]
        fn nothing_is_lost_without_one(text in "[^']*") {
            prop_assert_eq!(with_literal(&text, END, "x"), text);
        }
    }
}
