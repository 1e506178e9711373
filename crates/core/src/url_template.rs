//! URLs made from the columns of a row: `https://help.example.com/a/{id}`.

use crate::web::percent_segment;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// The value of the column of this name, percent-encoded as a segment of a path.
    Column(String),
}

/// Why a text is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not begin with `http://` or `https://`.
    NoUrl,
    /// A brace is not closed, not opened, or has nothing between.
    Brace,
}

/// The parts of a template. A column stands in braces; `{{` and `}}` are braces themselves.
pub fn parse(template: &str) -> Result<Vec<Part>, Fault> {
    let after = ["https://", "http://"].into_iter().find_map(|scheme| template.strip_prefix(scheme));
    if after.is_none_or(str::is_empty) {
        return Err(Fault::NoUrl);
    }
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..at + 1];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let (name, after) = rest.split_once('}').filter(|_| brace == "{").ok_or(Fault::Brace)?;
        if name.is_empty() || name.contains('{') {
            return Err(Fault::Brace);
        }
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(Part::Column(name.to_string()));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

/// The template with other names for its columns. None if it is no template, or if a name has a brace.
pub fn renamed(template: &str, name_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut renamed = String::with_capacity(template.len());
    for part in parse(template).ok()? {
        match part {
            Part::Text(text) => renamed.push_str(&text.replace('{', "{{").replace('}', "}}")),
            Part::Column(name) => {
                let name = name_of(&name).filter(|name| !name.contains(['{', '}']))?;
                renamed.push_str(&format!("{{{name}}}"));
            }
        }
    }
    Some(renamed)
}

/// The column that a value names, if it is one in braces: `{language}`. None for a constant.
pub fn column(value: &str) -> Option<&str> {
    let name = value.strip_prefix('{')?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['{', '}'])).then_some(name)
}

/// The value of a column as it stands in a URL: all but letters, digits and `-._~` is encoded.
pub fn encoded(value: &str) -> String {
    percent_segment(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Part {
        Part::Text(text.to_string())
    }

    fn of(name: &str) -> Part {
        Part::Column(name.to_string())
    }

    #[test]
    fn columns_stand_in_braces() {
        assert_eq!(
            parse("https://h.example.com/{lang}/a/{id}?x={{1}}"),
            Ok(vec![text("https://h.example.com/"), of("lang"), text("/a/"), of("id"), text("?x={1}")])
        );
        assert_eq!(parse("http://h/{a b}"), Ok(vec![text("http://h/"), of("a b")]));
        assert_eq!(parse("https://h/{{{id}}}"), Ok(vec![text("https://h/{"), of("id"), text("}")]));
    }

    #[test]
    fn faults_are_told() {
        for template in ["", "/a/{id}", "ftp://h/{id}", "https://", "{url}", "javascript:alert(1)"] {
            assert_eq!(parse(template), Err(Fault::NoUrl), "{template}");
        }
        for template in ["https://h/{id", "https://h/id}", "https://h/{}", "https://h/{a{b}"] {
            assert_eq!(parse(template), Err(Fault::Brace), "{template}");
        }
    }

    #[test]
    fn a_value_may_name_a_column() {
        assert_eq!(column("{lang}"), Some("lang"));
        for constant in ["de", "{}", "{a}{b}", "{a", "text/html", ""] {
            assert_eq!(column(constant), None, "{constant}");
        }
    }

    #[test]
    fn columns_are_renamed() {
        let rename = |name: &str| (name != "gone").then(|| format!("new {name}"));
        assert_eq!(
            renamed("https://h/{a}?{{x}}={b}", rename).as_deref(),
            Some("https://h/{new a}?{{x}}={new b}")
        );
        assert_eq!(renamed("https://h/{gone}", rename), None);
        assert_eq!(renamed("https://h/{a}", |_| Some("a}".to_string())), None);
    }

    proptest! {
        #[test]
        fn a_template_is_renamed_to_itself(template in "https://h/[a-z{}]{0,20}") {
            if parse(&template).is_ok() {
                prop_assert_eq!(renamed(&template, |name| Some(name.to_string())), Some(template));
            }
        }

        #[test]
        fn no_value_leaves_its_segment(value in ".*") {
            let encoded = encoded(&value);
            prop_assert!(encoded.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)), "{encoded}");
        }

        #[test]
        fn no_template_is_cut(template in "https://[a-z{}/é]{1,30}") {
            if let Ok(parts) = parse(&template) {
                let length: usize = parts.iter().map(|part| match part {
                    Part::Text(text) => text.len() + text.matches(['{', '}']).count(),
                    Part::Column(name) => name.len() + 2,
                }).sum();
                prop_assert_eq!(length, template.len());
            }
        }
    }
}
