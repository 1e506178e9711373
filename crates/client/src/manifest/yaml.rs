//! YAML as JSON values: mappings, sequences and scalars by the core schema of YAML 1.2, within limits.
//!
//! The parser gives events one by one, so that a limit holds before anything is built beyond it. Anchors, aliases and tags are
//! refused: an alias can make a small file a huge value, and what a manifest means must be readable in it.

use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::{Map, Number, Value};

/// The deepest nesting.
const MAX_DEPTH: usize = 64;
/// The most scalars, sequences and mappings.
const MAX_NODES: usize = 100_000;

/// A mistake in a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    line: usize,
    column: usize,
    why: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl Fault {
    fn at(span: &Span, why: impl Into<String>) -> Fault {
        // The parser counts columns from 0.
        Fault { line: span.start.line(), column: span.start.col() + 1, why: why.into() }
    }
}

impl From<ScanError> for Fault {
    fn from(error: ScanError) -> Fault {
        let marker = error.marker();
        Fault { line: marker.line(), column: marker.col() + 1, why: error.info().to_string() }
    }
}

/// A sequence or mapping that is not complete.
enum Open {
    Sequence(Vec<Value>),
    /// With the key whose value comes next.
    Mapping(Map<String, Value>, Option<String>),
}

/// Reads the one document of a text; null if there is none.
pub fn read(text: &str) -> Result<Value, Fault> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    let mut documents = 0;
    let mut nodes = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event?;
        let (anchor, tag) = match &event {
            Event::Scalar(_, _, anchor, tag) => (*anchor, tag.is_some()),
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => (*anchor, tag.is_some()),
            Event::Alias(_) => return Err(Fault::at(&span, "aliases (*name) are not supported")),
            Event::DocumentStart(_) if documents > 0 => {
                return Err(Fault::at(&span, "there is a second document"));
            }
            Event::DocumentStart(_) => {
                documents += 1;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let value = match open.pop() {
                    Some(Open::Sequence(items)) => Value::Array(items),
                    Some(Open::Mapping(members, _)) => Value::Object(members),
                    None => continue,
                };
                add(&mut open, &mut root, value);
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
        };
        if anchor > 0 {
            return Err(Fault::at(&span, "anchors (&name) are not supported"));
        }
        if tag {
            return Err(Fault::at(&span, "tags (!name) are not supported"));
        }
        nodes += 1;
        if nodes > MAX_NODES {
            return Err(Fault::at(&span, format!("there are more than {MAX_NODES} values")));
        }
        match event {
            Event::Scalar(text, style, ..) => match open.last_mut() {
                Some(Open::Mapping(members, key @ None)) => {
                    if members.contains_key(&*text) {
                        return Err(Fault::at(&span, format!("the key \"{text}\" is there twice")));
                    }
                    *key = Some(text.into_owned());
                }
                _ => {
                    let value = match style {
                        ScalarStyle::Plain => plain(&text).map_err(|why| Fault::at(&span, why))?,
                        _ => Value::String(text.into_owned()),
                    };
                    add(&mut open, &mut root, value);
                }
            },
            _ => {
                if let Some(Open::Mapping(_, None)) = open.last() {
                    return Err(Fault::at(&span, "a key is not a text"));
                }
                if open.len() >= MAX_DEPTH {
                    return Err(Fault::at(&span, format!("it is nested deeper than {MAX_DEPTH} levels")));
                }
                open.push(match event {
                    Event::SequenceStart(..) => Open::Sequence(Vec::new()),
                    _ => Open::Mapping(Map::new(), None),
                });
            }
        }
    }
    Ok(root.unwrap_or_default())
}

/// Adds a complete value to what it is part of.
fn add(open: &mut [Open], root: &mut Option<Value>, value: Value) {
    match open.last_mut() {
        Some(Open::Sequence(items)) => items.push(value),
        Some(Open::Mapping(members, key)) => {
            members.extend(key.take().map(|key| (key, value)));
        }
        None => *root = Some(value),
    }
}

/// A scalar without quotes, by the core schema. A number that JSON does not have is an error.
fn plain(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let no_json = |what: &str| Err(format!("{text} is {what}; put it in quotes if it is a text"));
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return no_json("no finite number");
    }
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            let number = u64::from_str_radix(digits, radix);
            return number.map(Value::from).or_else(|_| no_json("a number that is too large"));
        }
    }
    if !is_decimal(unsigned) {
        return Ok(Value::String(text.to_string()));
    }
    // As serde_json reads it, where it is a number of JSON; others have a plus sign, zeros or no digits on one side of the point.
    if let Ok(number) = serde_json::from_str::<Number>(text) {
        return Ok(Value::Number(number));
    }
    let is_whole = unsigned.bytes().all(|b| b.is_ascii_digit());
    if let Some(number) = text.parse::<i64>().ok().filter(|_| is_whole) {
        return Ok(Value::from(number));
    }
    match text.parse().ok().and_then(Number::from_f64) {
        Some(number) => Ok(Value::Number(number)),
        None => no_json("a number that is too large"),
    }
}

/// Whether a text without a sign is an integer or a float: `[0-9]+` or `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn fault(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn a_manifest_is_read() {
        let text = "
# The agent of the rentals.
agent_config:
  search:
    type: pgvector
    port: 5432
    password: ${KB_PG_PASSWORD}
    collection: \"vecs.Support\"
    metadata_filter: {kb_location: article, years: [2024, 2025.5]}
    prompt:
    - id: 'it''s'
    note: |
      two
      lines
    folded: >-
      one
      line
";
        let expected = json!({"agent_config": {"search": {
            "type": "pgvector", "port": 5432, "password": "${KB_PG_PASSWORD}", "collection": "vecs.Support",
            "metadata_filter": {"kb_location": "article", "years": [2024, 2025.5]}, "prompt": [{"id": "it's"}],
            "note": "two\nlines\n", "folded": "one line"}}});
        assert_eq!(read(text), Ok(expected));
        for nothing in ["", "# nothing", "---\n...\n", "~", "\u{feff}"] {
            assert_eq!(read(nothing), Ok(Value::Null), "{nothing:?}");
        }
        assert_eq!(read("\u{feff}a: 1"), Ok(json!({"a": 1})));
    }

    #[test]
    fn scalars_are_those_of_the_core_schema() {
        for (text, value) in [
            ("~", json!(null)),
            ("Null", json!(null)),
            ("TRUE", json!(true)),
            ("False", json!(false)),
            ("on", json!("on")),
            ("yes", json!("yes")),
            ("nUll", json!("nUll")),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("0o8", json!("0o8")),
            ("-0x1", json!("-0x1")),
            ("0b1", json!("0b1")),
            ("012", json!(12)),
            ("+12", json!(12)),
            ("-12", json!(-12)),
            ("1_000", json!("1_000")),
            ("12:30", json!("12:30")),
            ("2024-05-06", json!("2024-05-06")),
            (".5", json!(0.5)),
            ("5.", json!(5.0)),
            ("+1e3", json!(1000.0)),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("-", json!("-")),
            ("+", json!("+")),
            ("18446744073709551615", json!(u64::MAX)),
            ("'5432'", json!("5432")),
            ("\"true\"", json!("true")),
            ("5.0", json!(5.0)),
        ] {
            let list = format!("[{text}]");
            let text = if text == "-" { "a: '-'".to_string() } else { format!("a: {text}") };
            let read = read(&text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert_eq!(read, json!({"a": value}), "{text}");
            if !list.contains(['.', '-']) {
                assert_eq!(super::read(&list), Ok(json!([value])), "{list}");
            }
        }
        for text in [".inf", "-.Inf", "+.INF", ".nan"] {
            assert!(fault(&format!("a: {text}")).contains("no finite number"), "{text}");
        }
        for text in ["1e999", "-1e999", "0xfffffffffffffffff"] {
            assert!(fault(&format!("a: {text}")).contains("too large"), "{text}");
        }
    }

    #[test]
    fn what_a_manifest_does_not_need_is_refused() {
        for (text, why) in [
            ("a: &x 1", "line 1, column 4: anchors (&name) are not supported"),
            ("- &x a\n- *x", "anchors"),
            ("a: &x [1]\nb: *x", "anchors"),
            ("&x a: 1", "anchors"),
            ("a: !!str 1", "line 1, column 4: tags (!name) are not supported"),
            ("a: ! 1", "tags"),
            ("!x {}", "tags"),
            ("a: 1\n\"a\": 2", "line 2, column 1: the key \"a\" is there twice"),
            ("{a: 1, a: 2}", "twice"),
            ("1: a\n'1': b", "twice"),
            ("a: 1\n---\nb: 2", "a second document"),
            ("? [a]\n: 1", "a key is not a text"),
            ("? {a: 1}\n: 1", "a key is not a text"),
        ] {
            let fault = fault(text);
            assert!(fault.contains(why), "{text}: {fault}");
        }
        for text in ["a: 1\n b: 2", "{a: 1", "[1", "\"a", "a: *x", "a: 'x", "%YAML 3", "a: @b"] {
            assert!(fault(text).starts_with("line "), "{text}");
        }
    }

    #[test]
    fn limits_hold_before_anything_is_built() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert!(fault(&nested(MAX_DEPTH + 1)).contains("nested deeper than 64 levels"));
        // The parser has a limit of its own.
        for deep in ["[", "{a: ", "- ", "? ", "- [", "a:\n  "] {
            assert!(fault(&deep.repeat(200_000)).starts_with("line "), "{deep}");
        }
        let list = |items: usize| format!("[{}]", "1,".repeat(items));
        assert!(read(&list(MAX_NODES - 1)).is_ok());
        assert!(fault(&list(MAX_NODES)).contains("more than 100000 values"));
    }

    /// Any value of JSON that a manifest can hold.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
            "[\\PC\n\t\"\\\\]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[\\PC\"\\\\]{0,12}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_means_what_it_means_to_serde_json(value in values()) {
            let expected = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                prop_assert_eq!(read(&text), Ok(expected(&text)), "{}", text);
            }
        }

        #[test]
        fn no_text_ends_the_program(text in "(\\PC|[-:?,\\[\\]{}#&*!|>'\"%@`~.0-9 \n\t]){0,60}") {
            if let Err(fault) = read(&text) {
                prop_assert!(!fault.to_string().is_empty());
            }
        }

        #[test]
        fn no_bytes_end_the_program(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = read(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn a_scalar_is_read_or_refused(text in "[-+.0-9eExoxa-f_]{1,12}") {
            if let Ok(Value::Number(number)) = plain(&text) {
                prop_assert!(number.as_f64().is_some_and(f64::is_finite), "{}", text);
            }
        }
    }
}
