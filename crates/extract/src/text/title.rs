//! What Markdown says of itself.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// How far a heading that is the title is searched, in bytes.
const BEGINNING: usize = 64 * 1024;

/// The front matter of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter<'a> {
    pub(super) title: Option<String>,
    /// A tag of BCP 47.
    pub(super) language: Option<String>,
    /// The text below.
    pub(super) rest: &'a str,
}

/// Reads front matter: lines of YAML between `---`, or of TOML between `+++`, at the beginning of the text.
///
/// Only scalars on one line at the outermost level are read (`title: A "text"`, `title = "A text"`), with quotes but without
/// YAML's anchors and blocks: what title and language need, without a parser of YAML.
pub(super) fn front_matter(text: &str) -> FrontMatter<'_> {
    let nothing = FrontMatter { rest: text, ..FrontMatter::default() };
    let mut lines = text.split_inclusive('\n');
    let (separator, ends) = match lines.next().map(str::trim_end) {
        Some("---") => (':', ["---", "..."]),
        Some("+++") => ('=', ["+++", "+++"]),
        _ => return nothing,
    };
    let mut found = FrontMatter::default();
    let mut at = text.len() - lines.clone().map(str::len).sum::<usize>();
    for line in lines {
        at += line.len();
        if ends.contains(&line.trim_end()) {
            return FrontMatter { rest: &text[at..], ..found };
        }
        let Some((key, value)) = line.split_once(separator) else { continue };
        match (key.trim_end().to_ascii_lowercase().as_str(), scalar(value)) {
            ("title", Some(value)) if found.title.is_none() => found.title = Some(value),
            ("lang" | "language", Some(value)) if found.language.is_none() => {
                found.language = crate::html::language_tag(&value);
            }
            _ => (),
        }
    }
    // Without an end it is no front matter but a rule.
    nothing
}

/// A scalar of one line. None for other values.
fn scalar(value: &str) -> Option<String> {
    let value = value.trim();
    let quote = value.chars().next()?;
    let text = match quote {
        '"' | '\'' => {
            let end = value[1..].rfind(quote)?;
            let inner = &value[1..=end];
            if quote == '"' {
                inner.replace("\\\"", "\"").replace("\\\\", "\\")
            } else {
                inner.replace("''", "'")
            }
        }
        '|' | '>' | '[' | '{' | '&' | '*' | '!' | '#' => return None,
        _ => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// The text of the first heading of level 1, within the first 64 KB.
pub(crate) fn first_heading(text: &str) -> Option<String> {
    let beginning = text.get(..text.floor_char_boundary(BEGINNING))?;
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(beginning, Options::ENABLE_HEADING_ATTRIBUTES) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }), _) => heading = Some(String::new()),
            (Event::End(TagEnd::Heading(_)), Some(text)) => {
                let words: Vec<_> = text.split_whitespace().collect();
                if !words.is_empty() {
                    return Some(words.join(" "));
                }
                heading = None;
            }
            (Event::Text(part) | Event::Code(part), Some(text)) => text.push_str(&part),
            (Event::SoftBreak | Event::HardBreak, Some(text)) => text.push(' '),
            _ => (),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_front_matter() {
        for (text, title, language, rest) in [
            ("---\ntitle: Tea\nlang: de-DE\n---\nText", Some("Tea"), Some("de-DE"), "Text"),
            ("---\ntitle: \"A \\\"green\\\" tea\" # so\n...\n", Some("A \"green\" tea"), None, ""),
            ("---\ntitle: 'It''s tea: hot'\n---", Some("It's tea: hot"), None, ""),
            (
                "+++\ntitle = \"Tea\"\nlanguage = \"pt_BR\"\n[extra]\n+++\nText",
                Some("Tea"),
                Some("pt-BR"),
                "Text",
            ),
            ("---\ntitle: >\n  long\nTitle: Tea # hot\n---\n", Some("Tea"), None, ""),
            ("---\nparent:\n  title: Tea\n---\n", None, None, ""),
            ("---\nno end\ntitle: Tea\n", None, None, "---\nno end\ntitle: Tea\n"),
            ("title: Tea\n---\n", None, None, "title: Tea\n---\n"),
            ("", None, None, ""),
            ("---", None, None, "---"),
        ] {
            let expected =
                FrontMatter { title: title.map(str::to_owned), language: language.map(str::to_owned), rest };
            assert_eq!(front_matter(text), expected, "{text}");
        }
    }

    #[test]
    fn finds_the_first_heading() {
        for (text, heading) in [
            ("# Tea\n", Some("Tea")),
            (
                "Before\n\n## Below\n\n# *Green* `tea` and [more](https://example.com) #\n",
                Some("Green tea and more"),
            ),
            ("```sh\n# a comment\n```\n# Tea", Some("Tea")),
            ("Tea\n===\n", Some("Tea")),
            ("#\n# Tea", Some("Tea")),
            ("# Tea {#tea}\n", Some("Tea")),
            ("#hashtag\n## Tea", None),
            ("", None),
        ] {
            assert_eq!(first_heading(text).as_deref(), heading, "{text}");
        }
        assert_eq!(first_heading(&format!("{}\n# Tea", "é".repeat(BEGINNING))), None);
    }
}
