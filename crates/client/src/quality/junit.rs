//! A report in the XML of JUnit, which CI systems show.

use std::fmt::Write;

use super::compare::Compared;
use super::floor::Floor;
use super::run::Run;

/// One test.
struct Case {
    class: &'static str,
    name: String,
    seconds: f64,
    end: End,
}

enum End {
    Passed,
    Failed(String),
    Skipped(String),
}

/// The report: a test for each floor, for the comparison, and for each question.
pub fn report(run: &Run, floors: &[Floor], compared: Option<&Compared>) -> String {
    let of = |failure: Option<String>| failure.map_or(End::Passed, End::Failed);
    let mut cases = Vec::new();
    for floor in floors {
        cases.push(Case { class: "floors", name: floor.name(), seconds: 0.0, end: of(floor.failure()) });
    }
    if let Some(compared) = compared {
        let name = format!("not worse than {}", compared.other);
        cases.push(Case { class: "comparison", name, seconds: 0.0, end: of(compared.failure()) });
    }
    for answer in &run.answers {
        let end = match answer.missing {
            true => End::Skipped("what it expects is not there".to_string()),
            false => of(answer.mistake().map(str::to_string)),
        };
        let name = answer.question.clone().unwrap_or_else(|| answer.id.clone());
        cases.push(Case { class: "questions", name, seconds: answer.milliseconds / 1e3, end });
    }
    render(&format!("kb-rag evaluate {}", run.base), &cases)
}

fn render(suite: &str, cases: &[Case]) -> String {
    let failures = cases.iter().filter(|case| matches!(case.end, End::Failed(_))).count();
    let skipped = cases.iter().filter(|case| matches!(case.end, End::Skipped(_))).count();
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", cases.len());
    let suite = escaped(suite);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts} time=\"{seconds:.6}\">\n<testsuite name=\"{suite}\" \
         {counts} skipped=\"{skipped}\" time=\"{seconds:.6}\">\n"
    );
    for Case { class, name, seconds, end } in cases {
        let name = escaped(name);
        // A String takes any text.
        let _ = write!(xml, "<testcase classname=\"{suite}.{class}\" name=\"{name}\" time=\"{seconds:.6}\"");
        let _ = match end {
            End::Passed => writeln!(xml, "/>"),
            End::Failed(why) => writeln!(xml, "><failure message=\"{}\"/></testcase>", escaped(why)),
            End::Skipped(why) => writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(why)),
        };
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

/// A text in an attribute. XML 1.0 has no way to write most control characters: they are shown as escapes of Rust.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escaped("<a href=\"x\">&'\n\t"), "&lt;a href=&quot;x&quot;&gt;&amp;&apos;&#10;&#9;");
        assert_eq!(
            escaped("\u{0}\u{1b}[2J\u{7f}\u{9b}\u{ffff}é😀"),
            "\\u{0}\\u{1b}[2J\\u{7f}\\u{9b}\\u{ffff}é😀"
        );
    }

    #[test]
    fn tests_are_counted() {
        let case = |name: &str, end| Case { class: "questions", name: name.to_string(), seconds: 0.25, end };
        let cases = [
            case("good", End::Passed),
            case("<bad>", End::Failed("\"no\"".to_string())),
            case("gone", End::Skipped("not there".to_string())),
        ];
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites tests=\"3\" failures=\"1\" errors=\"0\" time=\"0.750000\">
<testsuite name=\"a&amp;b\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0.750000\">
<testcase classname=\"a&amp;b.questions\" name=\"good\" time=\"0.250000\"/>
<testcase classname=\"a&amp;b.questions\" name=\"&lt;bad&gt;\" time=\"0.250000\"><failure message=\"&quot;no&quot;\"/></testcase>
<testcase classname=\"a&amp;b.questions\" name=\"gone\" time=\"0.250000\"><skipped message=\"not there\"/></testcase>
</testsuite>
</testsuites>
";
        assert_eq!(render("a&b", &cases), expected);
    }

    proptest! {
        #[test]
        fn all_characters_are_those_of_xml(text in any::<String>()) {
            for c in escaped(&text).chars() {
                let is_char = matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
                prop_assert!(is_char && !"<>\"'\t\n\r".contains(c), "{:?}", c);
            }
        }
    }
}
