//! The arguments of a request: a query string, or a JSON object.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use http::StatusCode;
use http::header::{HeaderMap, IF_MATCH, IF_NONE_MATCH};
use percent_encoding::percent_decode_str;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use tokio_postgres::types::Type;

use super::answer::Mistake;
use crate::database::{Parameter, text};

/// Arguments by name. What is read is taken out; [`Fields::end`] complains about the rest.
pub struct Fields {
    values: BTreeMap<String, Argument>,
    known: Vec<&'static str>,
    conditions: HeaderMap,
}

/// A value that is not read yet. JSON stays text, which takes a fraction of the memory, and numbers keep their digits.
enum Argument {
    Query(String),
    Json(Box<RawValue>),
}

/// The members of a JSON object.
struct Members(BTreeMap<String, Argument>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        deserializer.deserialize_map(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!("argument \"{name}\" is given twice")));
            }
            members.insert(name, Argument::Json(value));
        }
        Ok(Members(members))
    }
}

type Optional<T> = Result<Option<T>, Mistake>;

impl Fields {
    /// Those of a query string.
    pub fn query(query: &str) -> Result<Fields, Mistake> {
        Fields::texts_by_name(pairs(query)?)
    }

    /// Texts.
    pub fn texts_by_name(pairs: Vec<(String, String)>) -> Result<Fields, Mistake> {
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            if values.insert(name.clone(), Argument::Query(value)).is_some() {
                return Err(Mistake::wrong(format!("argument \"{name}\" is given twice")));
            }
        }
        Ok(Fields { values, known: Vec::new(), conditions: HeaderMap::new() })
    }

    /// Those of a body: a JSON object.
    pub fn body(body: &[u8]) -> Result<Fields, Mistake> {
        match serde_json::from_slice::<Members>(body) {
            Ok(Members(values)) => Ok(Fields { values, known: Vec::new(), conditions: HeaderMap::new() }),
            Err(error) => Err(Mistake::wrong(format!("the body cannot be read as JSON: {error}"))),
        }
    }

    /// With the headers of the request, of which those that set conditions count. 400 for one that is there twice: it has a single
    /// value.
    pub fn with_conditions(self, headers: &HeaderMap) -> Result<Fields, Mistake> {
        let mut conditions = HeaderMap::new();
        for (name, shown) in [(IF_MATCH, "If-Match"), (IF_NONE_MATCH, "If-None-Match")] {
            let mut values = headers.get_all(&name).iter();
            let Some(value) = values.next() else { continue };
            if values.next().is_some() {
                return Err(Mistake::wrong(format!("the header {shown} is given twice")));
            }
            conditions.insert(name, value.clone());
        }
        Ok(Fields { conditions, ..self })
    }

    /// 400 for a condition that an endpoint that changes something does not check: nobody else would.
    pub fn refuse_if_match(&self) -> Result<(), Mistake> {
        match self.conditions.contains_key(IF_MATCH) {
            true => Err(Mistake::wrong("the header If-Match is not checked here")
                .hint("Leave it out; PATCH and DELETE of documents check it.")),
            false => Ok(()),
        }
    }

    /// The state in which the thing must still be, if any: the `updated_at` of `If-Match`, with or without the quotation marks
    /// of an entity tag.
    pub fn if_match(&self) -> Optional<String> {
        let Some(value) = self.conditions.get(IF_MATCH) else { return Ok(None) };
        let value = value.to_str().map_err(|_| Mistake::wrong("the header If-Match is not ASCII"))?.trim();
        let state = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
        Ok(Some(state).filter(|_| value != "*").map(str::to_string))
    }

    /// Whether the thing must not be there yet: `If-None-Match: *`.
    pub fn if_none_match(&self) -> Result<bool, Mistake> {
        match self.conditions.get(IF_NONE_MATCH).map(|value| value.as_bytes().trim_ascii()) {
            None => Ok(false),
            Some(b"*") => Ok(true),
            Some(_) => Err(Mistake::wrong("the header If-None-Match must be *")),
        }
    }

    /// The value under any of these names, the first of which is the one to tell of. NULL is none.
    fn take(&mut self, names: &[&'static str]) -> Optional<Argument> {
        self.known.extend(names);
        let mut found = None;
        for name in names {
            match self.values.remove(*name) {
                None => {}
                Some(Argument::Json(value)) if value.get() == "null" => {}
                Some(_) if found.is_some() => {
                    return Err(Mistake::wrong(format!("argument \"{}\" is given twice", names[0])));
                }
                Some(value) => found = Some(value),
            }
        }
        Ok(found)
    }

    /// A value that is read by `json` or, in a query string, by `query`.
    fn parse<T>(
        &mut self,
        names: &[&'static str],
        what: &str,
        json: impl FnOnce(&str) -> Option<T>,
        query: impl FnOnce(String) -> Option<T>,
    ) -> Optional<T> {
        let value = match self.take(names)? {
            None => return Ok(None),
            Some(Argument::Json(value)) => json(value.get()),
            Some(Argument::Query(text)) => query(text),
        };
        let wrong = || Mistake::wrong(format!("argument \"{}\" must be {what}", names[0]));
        value.map(Some).ok_or_else(wrong)
    }

    /// A text.
    pub fn text(&mut self, names: &[&'static str]) -> Optional<String> {
        let text = self.parse(names, "a string", |json| serde_json::from_str(json).ok(), Some)?;
        match text {
            Some(text) if text.contains('\0') => {
                Err(Mistake::wrong(format!("argument \"{}\" contains a NUL character", names[0])))
            }
            text => Ok(text),
        }
    }

    /// A text that is not blank.
    pub fn filled(&mut self, names: &[&'static str]) -> Optional<String> {
        match self.text(names)? {
            Some(text) if text.trim().is_empty() => {
                Err(Mistake::wrong(format!("argument \"{}\" must not be empty", names[0])))
            }
            text => Ok(text),
        }
    }

    /// A text that must be there and not be blank.
    pub fn needed(&mut self, names: &[&'static str]) -> Result<String, Mistake> {
        match self.text(names)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => {
                let mistake =
                    Mistake::wrong(format!("argument \"{}\" is required and must not be empty", names[0]));
                let others: Vec<String> = self.values.keys().map(|name| format!("\"{name}\"")).collect();
                Err(match others.is_empty() {
                    true => mistake,
                    false => mistake.hint(format!("The request also has {}.", others.join(", "))),
                })
            }
        }
    }

    /// A whole number.
    pub fn number(&mut self, names: &[&'static str]) -> Optional<i64> {
        self.parse(names, "a whole number", |json| json.parse().ok(), |text| text.parse().ok())
    }

    /// A whole number within limits.
    pub fn number_in(&mut self, names: &[&'static str], range: RangeInclusive<i64>) -> Optional<i64> {
        match self.number(names)? {
            Some(number) if !range.contains(&number) => Err(Mistake::wrong(format!(
                "argument \"{}\" must be between {} and {}",
                names[0],
                range.start(),
                range.end()
            ))),
            number => Ok(number),
        }
    }

    /// A number.
    pub fn float(&mut self, names: &[&'static str]) -> Optional<f64> {
        self.parse(names, "a number", |json| serde_json::from_str(json).ok(), |text| text.parse().ok())
    }

    /// True or false.
    pub fn flag(&mut self, names: &[&'static str]) -> Optional<bool> {
        self.parse(names, "true or false", |json| json.parse().ok(), |text| text.parse().ok())
    }

    /// A JSON object, as text.
    pub fn object(&mut self, names: &[&'static str]) -> Optional<String> {
        let object = |json: &str| json.starts_with('{').then(|| json.to_string());
        self.parse(names, "a JSON object", object, |text| {
            serde_json::from_str::<&RawValue>(&text).ok().and_then(|json| object(json.get()))
        })
    }

    /// A JSON object, or a string that holds one, as text.
    pub fn object_or_string(&mut self, names: &[&'static str]) -> Optional<String> {
        let json = |json: &str| json.starts_with(['{', '"']).then(|| json.to_string());
        self.parse(names, "a JSON object", json, |_| None)
    }

    /// A JSON array, as text.
    pub fn array(&mut self, names: &[&'static str]) -> Optional<String> {
        self.parse(names, "an array", |json| json.starts_with('[').then(|| json.to_string()), |_| None)
    }

    /// A list of texts, or one text.
    pub fn texts(&mut self, names: &[&'static str]) -> Optional<Vec<String>> {
        let list = |json: &str| match serde_json::from_str(json) {
            Ok(text) => Some(vec![text]),
            Err(_) => serde_json::from_str::<Vec<String>>(json).ok(),
        };
        let texts = self.parse(names, "a list of strings", list, |text| Some(vec![text]))?;
        match texts {
            Some(texts) if texts.iter().any(|text| text.contains('\0')) => {
                Err(Mistake::wrong(format!("argument \"{}\" contains a NUL character", names[0])))
            }
            texts => Ok(texts),
        }
    }

    /// Complains about arguments that nothing has read.
    pub fn end(self) -> Result<(), Mistake> {
        let Some(unknown) = self.values.keys().next() else { return Ok(()) };
        let mistake = Mistake::wrong(format!("unknown argument \"{unknown}\""));
        Err(match self.known.is_empty() {
            true => mistake.hint("This endpoint takes no arguments."),
            false => mistake.hint(format!("Known arguments are: {}.", self.known.join(", "))),
        })
    }
}

/// The names and values of a query string.
pub fn pairs(query: &str) -> Result<Vec<(String, String)>, Mistake> {
    if percent_decode_str(query).decode_utf8().is_err() {
        return Err(Mistake::wrong("the query string is not UTF-8"));
    }
    Ok(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
}

/// Parameters of a statement, NULL where there is no value.
pub fn number(value: Option<i64>) -> Parameter {
    (Box::new(value), Type::INT8)
}

pub fn float(value: Option<f64>) -> Parameter {
    (Box::new(value), Type::FLOAT8)
}

pub fn flag(value: Option<bool>) -> Parameter {
    (Box::new(value), Type::BOOL)
}

pub fn texts(value: Option<Vec<String>>) -> Parameter {
    (Box::new(value), Type::TEXT_ARRAY)
}

/// A thing that a request names by a uuid, and what to call it in messages: 404 where it is no uuid.
pub fn identified(kind: &str, given: &str) -> Result<(Parameter, String), Mistake> {
    let what = format!("{kind} \"{given}\"");
    match uuid::Uuid::parse_str(given) {
        Ok(id) => Ok((text(Some(id.to_string())), what)),
        Err(_) => Err(Mistake::new(StatusCode::NOT_FOUND, format!("{what} does not exist"))),
    }
}

/// The named parts of a path.
pub type Path = BTreeMap<String, String>;

/// A part of a path that names something.
pub fn name(path: &Path, part: &str) -> Result<String, Mistake> {
    let name = path.get(part).cloned().unwrap_or_default();
    if name.contains('\0') {
        return Err(Mistake::wrong("a name in the path contains a NUL character"));
    }
    Ok(name)
}

/// The part of a path that is called `id`.
pub fn id(path: &Path) -> &str {
    path.get("id").map(String::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &str) -> Fields {
        Fields::body(body.as_bytes()).ok().unwrap()
    }

    #[test]
    fn names_in_both_spellings() {
        let mut given = fields(r#"{"sourceType": "code", "limit": 3, "flag": false, "none": null}"#);
        assert_eq!(given.text(&["source_type", "sourceType"]).ok().unwrap().as_deref(), Some("code"));
        assert_eq!(given.number(&["limit"]).ok().unwrap(), Some(3));
        assert_eq!(given.flag(&["flag"]).ok().unwrap(), Some(false));
        assert!(given.text(&["none"]).ok().unwrap().is_none());
        assert!(given.end().is_ok());
        let mut twice = fields(r#"{"sourceType": "code", "source_type": "code"}"#);
        assert!(twice.text(&["source_type", "sourceType"]).is_err());
    }

    #[test]
    fn a_query_string_has_texts_only() {
        let mut given =
            Fields::query("limit=3&force=true&q=a%20b+c&metadata=%7B%22a%22%3A1%7D").ok().unwrap();
        assert_eq!(given.number(&["limit"]).ok().unwrap(), Some(3));
        assert_eq!(given.flag(&["force"]).ok().unwrap(), Some(true));
        assert_eq!(given.text(&["q"]).ok().unwrap().as_deref(), Some("a b c"));
        assert_eq!(given.object(&["metadata"]).ok().unwrap().as_deref(), Some("{\"a\":1}"));
        assert!(Fields::query("a=1&a=2").is_err());
        let mut wrong = Fields::query("limit=x&force=1").ok().unwrap();
        assert!(wrong.number(&["limit"]).is_err() && wrong.flag(&["force"]).is_err());
    }

    #[test]
    fn mistakes_name_the_argument() {
        let message = |mistake: Mistake| mistake.text().to_string();
        assert!(message(fields(r#"{"query": 1}"#).needed(&["query"]).err().unwrap()).contains("\"query\""));
        assert!(message(fields("{}").needed(&["query"]).err().unwrap()).contains("required"));
        assert!(message(fields(r#"{"query": " "}"#).needed(&["query"]).err().unwrap()).contains("required"));
        assert!(message(fields(r#"{"n": 1.5}"#).number(&["n"]).err().unwrap()).contains("whole"));
        assert!(message(fields(r#"{"t": "a\u0000b"}"#).text(&["t"]).err().unwrap()).contains("NUL"));
        let mut unknown = fields(r#"{"qurey": "a", "limit": 1}"#);
        let _ = unknown.number(&["limit"]);
        let mistake = unknown.end().err().unwrap();
        assert!(mistake.text().contains("unknown argument \"qurey\""), "{}", mistake.text());
        for wrong in ["[1]", "{", "\"a\"", "1"] {
            assert!(Fields::body(wrong.as_bytes()).is_err(), "{wrong}");
        }
        for twice in [r#"{"a": 1, "a": 2}"#, "{\"a\": 1, \"\\u0061\": 2}"] {
            assert!(message(Fields::body(twice.as_bytes()).err().unwrap()).contains("\"a\" is given twice"));
        }
        assert!(Fields::query("filename=%FF").is_err());
        let mut given = fields(
            r#"{"n": 10001, "digits": {"n": 123456789012345678901234567890}, "list": ["a", 1], "text": " "}"#,
        );
        assert!(message(given.number_in(&["n"], 1..=10_000).err().unwrap()).contains("between 1 and 10000"));
        assert!(given.object(&["digits"]).ok().unwrap().unwrap().contains("123456789012345678901234567890"));
        assert!(given.texts(&["list"]).is_err() && given.filled(&["text"]).is_err());
    }

    #[test]
    fn conditions() {
        let with = |name: http::HeaderName, value: &'static str| {
            let headers = [(name, http::HeaderValue::from_static(value))].into_iter().collect();
            fields("{}").with_conditions(&headers).ok().unwrap()
        };
        let state = |value| with(IF_MATCH, value).if_match().ok().unwrap();
        for (value, expected) in [
            ("\"2026-01-01T00:00:00+00:00\"", Some("2026-01-01T00:00:00+00:00")),
            (" 2026-01-01 ", Some("2026-01-01")),
            ("*", None),
            ("\"*\"", Some("*")),
            ("\"", Some("\"")),
        ] {
            assert_eq!(state(value).as_deref(), expected, "{value}");
        }
        for name in [IF_MATCH, IF_NONE_MATCH] {
            let headers = ["a", "a"].map(|value| (name.clone(), http::HeaderValue::from_static(value)));
            let mistake = fields("{}").with_conditions(&headers.into_iter().collect()).err().unwrap();
            assert!(mistake.text().contains("is given twice"), "{}", mistake.text());
        }
        assert!(with(IF_MATCH, "*").refuse_if_match().is_err() && fields("{}").refuse_if_match().is_ok());
        assert!(with(IF_NONE_MATCH, " * ").if_none_match().ok().unwrap());
        assert!(with(IF_NONE_MATCH, "\"a\"").if_none_match().is_err());
        assert!(
            !fields("{}").if_none_match().ok().unwrap() && fields("{}").if_match().ok().unwrap().is_none()
        );
    }

    #[test]
    fn an_identifier_that_is_none_is_not_found() {
        assert!(identified("document", "0190c1e4-7a3e-7000-8000-000000000000").is_ok());
        for wrong in ["", "1", "stats", "0190c1e4-7a3e-7000-8000-00000000000g"] {
            assert_eq!(
                identified("document", wrong).err().unwrap().status(),
                StatusCode::NOT_FOUND,
                "{wrong}"
            );
        }
    }
}
