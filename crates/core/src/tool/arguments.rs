//! The arguments of a call of a tool.

use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use super::{DEFAULT_LIMIT, Detail, MAX_LIMIT, MAX_NEIGHBORS, MAX_OFFSET, MODES};
use crate::part;

/// The arguments as a model gives them: an object, or the text of one, as chat APIs send it. The error says what is wrong.
pub fn arguments(given: &Value) -> Result<Value, String> {
    let Value::String(text) = given else { return Ok(given.clone()) };
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    let parsed =
        serde_json::from_str(text).map_err(|error| format!("the arguments are not valid JSON: {error}"))?;
    if text.contains("\\u0000") && has_nul(&parsed) {
        return Err("an argument contains the character \\u0000".to_string());
    }
    Ok(parsed)
}

/// Whether a text in the value has a NUL, which PostgreSQL cannot store.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(members) => members.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// The arguments of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Not blank.
    pub query: String,
    /// One of [`MODES`].
    pub mode: Option<&'static str>,
    /// From 1 to [`MAX_LIMIT`].
    pub limit: i64,
    /// How many of the best results are skipped, from 0 to [`MAX_OFFSET`].
    pub offset: i64,
    /// The number of passages shown before and after each result, from 0 to [`MAX_NEIGHBORS`].
    pub neighbors: i64,
    /// What is shown of the documents that are found.
    pub detail: Detail,
    /// The kind of documents to find.
    pub source_type: Option<String>,
    /// The name of the base to search.
    pub knowledge_base: Option<String>,
}

/// The arguments of the search of one base. The error tells the model what to change.
pub fn own_search(arguments: &Value) -> Result<Search, String> {
    let arguments = Arguments::new(arguments, &["query"])?;
    Ok(Search {
        query: arguments.required("query")?,
        mode: None,
        limit: DEFAULT_LIMIT,
        offset: 0,
        neighbors: 0,
        detail: Detail::Passages,
        source_type: None,
        knowledge_base: None,
    })
}

/// The arguments of the search of all bases.
pub fn search(arguments: &Value) -> Result<Search, String> {
    let arguments = Arguments::new(
        arguments,
        &["query", "mode", "limit", "offset", "neighbors", "detail", "source_type", "knowledge_base"],
    )?;
    let mode = arguments.one_of("mode", &MODES)?;
    let detail = arguments.one_of("detail", &Detail::ALL.map(Detail::name))?;
    Ok(Search {
        query: arguments.required("query")?,
        mode,
        limit: arguments.whole("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
        offset: arguments.whole("offset", 0..=MAX_OFFSET)?.unwrap_or(0),
        neighbors: arguments.whole("neighbors", 0..=MAX_NEIGHBORS)?.unwrap_or(0),
        detail: Detail::ALL.into_iter().find(|known| Some(known.name()) == detail).unwrap_or_default(),
        source_type: arguments.filled("source_type")?,
        knowledge_base: arguments.filled("knowledge_base")?,
    })
}

/// The id of the document to read, as text, and which part of it.
pub fn read(arguments: &Value) -> Result<(String, part::Range), String> {
    let arguments = Arguments::new(arguments, &["id", "offset", "max_chars"])?;
    let offset = arguments.whole("offset", 0..=part::MAX_OFFSET)?.unwrap_or(0);
    let max_chars = arguments.whole("max_chars", 1..=part::MAX_CHARS)?.unwrap_or(part::DEFAULT_CHARS);
    Ok((arguments.required("id")?, part::Range { offset, max_chars }))
}

/// The members of the object of arguments. A null one is not given.
struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    fn new(arguments: &'a Value, known: &[&str]) -> Result<Arguments<'a>, String> {
        let Value::Object(members) = arguments else {
            return Err("the arguments are not an object".to_string());
        };
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(format!("unknown argument \"{name}\"; known are {}", known.join(", "))),
            None => Ok(Arguments(members)),
        }
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("argument \"{name}\" is not a string")),
        }
    }

    /// The same; a blank text is not given.
    fn filled(&self, name: &str) -> Result<Option<String>, String> {
        Ok(self.text(name)?.filter(|text| !text.trim().is_empty()))
    }

    /// One of some names, in whatever case.
    fn one_of(&self, name: &str, known: &[&'static str]) -> Result<Option<&'static str>, String> {
        let Some(given) = self.filled(name)? else { return Ok(None) };
        let found = known.iter().find(|known| known.eq_ignore_ascii_case(given.trim()));
        found
            .map(|found| Some(*found))
            .ok_or_else(|| format!("{name} \"{given}\" is not one of {}", known.join(", ")))
    }

    fn required(&self, name: &str) -> Result<String, String> {
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(format!("argument \"{name}\" is empty")),
            None => Err(format!("argument \"{name}\" is missing")),
        }
    }

    /// A whole number within limits. Models write 5.0 and "5" too.
    fn whole(&self, name: &str, range: RangeInclusive<i64>) -> Result<Option<i64>, String> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let (min, max) = range.into_inner();
        let wrong = || format!("argument \"{name}\" is not a whole number from {min} to {max}");
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        let number = number.filter(|number| number.fract() == 0.0).ok_or_else(wrong)?;
        if (min as f64..=max as f64).contains(&number) { Ok(Some(number as i64)) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_are_read() {
        let given = json!({"query": "q", "mode": "keyword", "limit": 7.0, "offset": 20, "neighbors": 2, "detail": "abstract", "source_type": "code", "knowledge_base": "docs"});
        let expected = Search {
            query: "q".to_string(),
            mode: Some("keyword"),
            limit: 7,
            offset: 20,
            neighbors: 2,
            detail: Detail::Abstract,
            source_type: Some("code".to_string()),
            knowledge_base: Some("docs".to_string()),
        };
        assert_eq!(search(&given), Ok(expected));
        let lenient = json!({"query": "q", "mode": "Keyword", "limit": "7", "offset": "20", "neighbors": "2", "detail": " Abstract", "source_type": "code", "knowledge_base": "docs"});
        assert_eq!(search(&lenient), search(&given));
        let blank = json!({"query": "q", "mode": "", "source_type": " ", "knowledge_base": ""});
        let least = search(&json!({"query": "q", "mode": null, "limit": null})).unwrap();
        assert_eq!(search(&blank).as_ref(), Ok(&least));
        assert_eq!((least.mode, least.limit), (None, DEFAULT_LIMIT));
        assert_eq!(own_search(&json!({"query": "q"})), Ok(least));
        let part = |offset, max_chars| Ok(("x".to_string(), part::Range { offset, max_chars }));
        assert_eq!(read(&json!({"id": "x"})), part(0, 20_000));
        assert_eq!(read(&json!({"id": "x", "offset": null, "max_chars": "50000"})), part(0, 50_000));
        assert_eq!(read(&json!({"id": "x", "offset": 20_000.0, "max_chars": 1})), part(20_000, 1));
    }

    #[test]
    fn mistakes_tell_what_to_change() {
        for (arguments, expected) in [
            (json!([]), "the arguments are not an object"),
            (json!({}), "argument \"query\" is missing"),
            (json!({"query": null}), "argument \"query\" is missing"),
            (json!({"query": " "}), "argument \"query\" is empty"),
            (json!({"query": 1}), "argument \"query\" is not a string"),
            (
                json!({"query": "q", "mode": "fuzzy"}),
                "mode \"fuzzy\" is not one of hybrid, semantic, keyword",
            ),
            (json!({"query": "q", "limit": 0}), "argument \"limit\" is not a whole number from 1 to 50"),
            (
                json!({"query": "q", "neighbors": 11}),
                "argument \"neighbors\" is not a whole number from 0 to 10",
            ),
            (json!({"query": "q", "limit": 51}), "argument \"limit\" is not a whole number from 1 to 50"),
            (json!({"query": "q", "limit": 1.5}), "argument \"limit\" is not a whole number from 1 to 50"),
            (json!({"query": "q", "limit": "many"}), "argument \"limit\" is not a whole number from 1 to 50"),
            (
                json!({"query": "q", "top_k": 5}),
                "unknown argument \"top_k\"; known are query, mode, limit, offset, neighbors, detail, source_type, knowledge_base",
            ),
        ] {
            assert_eq!(search(&arguments).unwrap_err(), expected);
        }
        for (arguments, expected) in [
            (json!({"id": "x", "offset": -1}), "\"offset\" is not a whole number from 0 to 1073741824"),
            (json!({"id": "x", "offset": 1e300}), "\"offset\" is not a whole number from 0 to 1073741824"),
            (json!({"id": "x", "max_chars": 0}), "\"max_chars\" is not a whole number from 1 to 50000"),
            (json!({"id": "x", "max_chars": 50_001}), "\"max_chars\" is not a whole number from 1 to 50000"),
            (json!({"id": "x", "max_chars": 1.5}), "\"max_chars\" is not a whole number from 1 to 50000"),
            (json!({"offset": 0}), "\"id\" is missing"),
            (json!({"id": "x", "limit": 1}), "unknown argument \"limit\"; known are id, offset, max_chars"),
        ] {
            let error = read(&arguments).unwrap_err();
            assert!(error.ends_with(expected), "{error}");
        }
        assert_eq!(
            own_search(&json!({"query": "q", "limit": 1})).unwrap_err(),
            "unknown argument \"limit\"; known are query"
        );
    }

    #[test]
    fn arguments_may_be_the_text_of_an_object() {
        let object = json!({"query": "a\u{e9}"});
        assert_eq!(arguments(&object), Ok(object.clone()));
        assert_eq!(arguments(&json!(object.to_string())), Ok(object));
        assert_eq!(arguments(&json!(" ")), Ok(json!({})));
        assert_eq!(arguments(&json!(5)), Ok(json!(5)));
        for (text, expected) in [
            ("{\"query\": \"cut", "the arguments are not valid JSON: EOF"),
            ("{\"query\": \"a\\ud800b\"}", "the arguments are not valid JSON:"),
            ("{\"query\": \"a\\u0000b\"}", "an argument contains the character \\u0000"),
            ("[{\"\\u0000\": 1}]", "an argument contains the character \\u0000"),
        ] {
            let error = arguments(&json!(text)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn what_the_schema_allows_is_read(limit in 1..=MAX_LIMIT, mode in prop::sample::select(&MODES[..]), query in "[a-z]{1,9}") {
            let found = search(&json!({"query": query, "limit": limit, "mode": mode})).unwrap();
            prop_assert_eq!((found.query, found.limit, found.mode), (query, limit, Some(mode)));
        }
    }
}
