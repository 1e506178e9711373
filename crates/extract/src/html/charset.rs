//! The encoding that a page declares.

/// How far a declaration is searched, in bytes. The standard asks for 1,024; some pages have scripts before it.
const BEGINNING: usize = 16 * 1024;

/// The encoding that an XML declaration or a `meta` element declares.
pub(crate) fn declared(bytes: &[u8]) -> Option<String> {
    let beginning: String =
        bytes.iter().take(BEGINNING).map(|b| char::from(b.to_ascii_lowercase())).collect();
    let label = in_xml(&beginning).or_else(|| in_meta(&beginning))?;
    // The declaration could be read, so it is no UTF-16.
    Some(if label.starts_with("utf-16") { "utf-8".to_owned() } else { label.to_owned() })
}

fn in_xml(beginning: &str) -> Option<&str> {
    let declaration = beginning.trim_start().strip_prefix("<?xml")?.split_once("?>")?.0;
    value(declaration.split_once("encoding")?.1)
}

fn in_meta(beginning: &str) -> Option<&str> {
    beginning.split("<meta").skip(1).find_map(|rest| {
        let tag = rest.split_once('>').map_or(rest, |(tag, _)| tag);
        tag.split("charset").skip(1).find_map(value)
    })
}

/// The value that follows `=`, perhaps in quotes.
fn value(text: &str) -> Option<&str> {
    let text = text.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '+')));
    let value = &text[..end.unwrap_or(text.len())];
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_declarations() {
        for (page, expected) in [
            ("<meta charset=utf-8>", Some("utf-8")),
            ("<html><head><META name=x content=y><Meta CharSet = 'Shift_JIS' />", Some("shift_jis")),
            (
                "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=ISO-8859-1\">",
                Some("iso-8859-1"),
            ),
            ("<?xml version=\"1.0\" encoding='windows-1251'?><html>", Some("windows-1251")),
            ("<meta charset=\"UTF-16\">", Some("utf-8")),
            ("<meta charset=\"\">", None),
            ("<p>charset=utf-8</p>", None),
            ("", None),
        ] {
            assert_eq!(declared(page.as_bytes()).as_deref(), expected, "{page}");
        }
    }
}
