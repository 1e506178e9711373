//! Names of knowledge bases as a part of SQL identifiers.

/// Longer slugs are cut to this many bytes.
const MAX_BYTES: usize = 40;

/// `name` in lower case, with each run of characters outside `[a-z0-9]` replaced by one `_`, none at the
/// ends, at most 40 bytes. Empty if nothing is left, as for a Chinese name.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if slug.len() == MAX_BYTES {
            break;
        }
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.truncate(slug.trim_end_matches('_').len());
    slug
}

/// The slug followed by `_` and the bytes of an id in hexadecimal, or these alone if the slug is empty.
pub fn with_suffix(slug: &str, id: &[u8]) -> String {
    let suffix: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    if slug.is_empty() { suffix } else { format!("{slug}_{suffix}") }
}

/// Whether a knowledge base must not have this slug: empty, or `rag`, whose schema is the extension's own.
pub fn is_reserved(slug: &str) -> bool {
    slug.is_empty() || slug == "rag"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn follows_the_rules() {
        for (name, expected) in [
            ("support", "support"),
            ("Support Docs", "support_docs"),
            ("  --Ünï.\"x\"  ", "n_x"),
            ("知识库", ""),
            ("rag", "rag"),
            ("a.b.c", "a_b_c"),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
        assert_eq!(slug(&"x".repeat(80)).len(), MAX_BYTES);
        assert_eq!(with_suffix("rag", &[0xab, 1]), "rag_ab01");
        assert_eq!(with_suffix("", &[0xab, 1]), "ab01");
    }

    proptest! {
        #[test]
        fn is_an_identifier(name in any::<String>()) {
            let slug = slug(&name);
            prop_assert!(slug.len() <= MAX_BYTES);
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            prop_assert!(!slug.starts_with('_') && !slug.ends_with('_'));
        }
    }
}
