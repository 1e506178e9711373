//! Tags of languages.

/// A tag of BCP 47 in its usual form ("pt-BR", "zh-Hant"), from one in any form ("pt_br", "zh-hant"). None for anything else.
pub(crate) fn language_tag(value: &str) -> Option<String> {
    // Some pages declare several; the locale of POSIX may name an encoding.
    let first = value.split([',', ';', '.', '@']).next()?.trim();
    let mut parts = first.split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    if !(2..=3).contains(&language.len()) || !language.bytes().all(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    let mut tag = language;
    for part in parts {
        if !(1..=8).contains(&part.len()) || !part.bytes().all(|b| b.is_ascii_alphanumeric()) {
            break;
        }
        let part = part.to_ascii_lowercase();
        tag.push('-');
        match part.len() {
            2 => tag.push_str(&part.to_ascii_uppercase()),
            4 if part.is_ascii() && !part.starts_with(|c: char| c.is_ascii_digit()) => {
                tag.push_str(&part[..1].to_ascii_uppercase());
                tag.push_str(&part[1..]);
            }
            _ => tag.push_str(&part),
        }
    }
    // "und" is no language, and "mul" are several.
    (!matches!(tag.as_str(), "und" | "mul" | "zxx")).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_tags() {
        for (value, expected) in [
            ("en", Some("en")),
            (" EN-us ", Some("en-US")),
            ("pt_BR", Some("pt-BR")),
            ("zh-hant-tw", Some("zh-Hant-TW")),
            ("de, en", Some("de")),
            ("de_DE.UTF-8", Some("de-DE")),
            ("es-419", Some("es-419")),
            ("gsw", Some("gsw")),
            ("english", None),
            ("und", None),
            ("", None),
            ("x-default", None),
            ("en-", Some("en")),
            ("\u{e9}n", None),
        ] {
            assert_eq!(language_tag(value).as_deref(), expected, "{value}");
        }
    }
}
