//! The arguments of a request: a query string, or a JSON object.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Map, Value};
use tokio_postgres::types::Type;

use super::answer::Mistake;
use crate::database::{Parameter, text};

/// Arguments by name. What is read is taken out; [`Fields::end`] complains about the rest.
pub struct Fields {
    values: Map<String, Value>,
    /// From a query string, where numbers and booleans are texts.
    are_texts: bool,
    known: Vec<&'static str>,
}

type Read<T> = Result<Option<T>, Mistake>;

impl Fields {
    /// Those of a query string.
    pub fn query(query: &str) -> Result<Fields, Mistake> {
        let mut values = Map::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if values.insert(name.to_string(), Value::String(value.into_owned())).is_some() {
                return Err(Mistake::wrong(format!("argument \"{name}\" is given twice")));
            }
        }
        Ok(Fields { values, are_texts: true, known: Vec::new() })
    }

    /// Those of a body: a JSON object. An empty body has none.
    pub fn body(body: &[u8]) -> Result<Fields, Mistake> {
        let values = match body.trim_ascii() {
            b"" => Map::new(),
            body => match serde_json::from_slice(body) {
                Ok(Value::Object(values)) => values,
                Ok(_) => return Err(Mistake::wrong("the body must be a JSON object")),
                Err(error) => return Err(Mistake::wrong(format!("the body is not valid JSON: {error}"))),
            },
        };
        Ok(Fields { values, are_texts: false, known: Vec::new() })
    }

    /// The value under any of these names, the first of which is the one to tell of.
    fn take(&mut self, names: &[&'static str]) -> Read<Value> {
        self.known.extend(names);
        let mut found = None;
        for name in names {
            match self.values.remove(*name) {
                None | Some(Value::Null) => {}
                Some(_) if found.is_some() => {
                    return Err(Mistake::wrong(format!("argument \"{}\" is given twice", names[0])));
                }
                Some(value) => found = Some(value),
            }
        }
        Ok(found)
    }

    /// A text.
    pub fn text(&mut self, names: &[&'static str]) -> Read<String> {
        match self.take(names)? {
            None => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(Mistake::wrong(format!("argument \"{}\" contains a NUL character", names[0])))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Mistake::wrong(format!("argument \"{}\" must be a string", names[0]))),
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
    pub fn number(&mut self, names: &[&'static str]) -> Read<i64> {
        let number = match self.take(names)? {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_i64(),
            Some(Value::String(text)) if self.are_texts => text.parse().ok(),
            Some(_) => None,
        };
        number
            .map(Some)
            .ok_or_else(|| Mistake::wrong(format!("argument \"{}\" must be a whole number", names[0])))
    }

    /// A number.
    pub fn float(&mut self, names: &[&'static str]) -> Read<f64> {
        match self.take(names)? {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64()),
            Some(_) => Err(Mistake::wrong(format!("argument \"{}\" must be a number", names[0]))),
        }
    }

    /// True or false.
    pub fn flag(&mut self, names: &[&'static str]) -> Read<bool> {
        let flag = match self.take(names)? {
            None => return Ok(None),
            Some(Value::Bool(flag)) => Some(flag),
            Some(Value::String(text)) if self.are_texts => text.parse().ok(),
            Some(_) => None,
        };
        flag.map(Some)
            .ok_or_else(|| Mistake::wrong(format!("argument \"{}\" must be true or false", names[0])))
    }

    /// A JSON object.
    pub fn object(&mut self, names: &[&'static str]) -> Read<Value> {
        let value = match self.take(names)? {
            Some(Value::String(text)) if self.are_texts => serde_json::from_str(&text).unwrap_or_default(),
            Some(value) => value,
            None => return Ok(None),
        };
        match value.is_object() {
            true => Ok(Some(value)),
            false => Err(Mistake::wrong(format!("argument \"{}\" must be a JSON object", names[0]))),
        }
    }

    /// A list of texts, or one text.
    pub fn texts(&mut self, names: &[&'static str]) -> Read<Vec<String>> {
        let texts = match self.take(names)? {
            None => return Ok(None),
            Some(Value::String(text)) => Some(vec![text]),
            Some(value) => serde_json::from_value::<Vec<String>>(value).ok(),
        };
        let texts = texts.filter(|texts| !texts.iter().any(|text| text.contains('\0')));
        texts
            .map(Some)
            .ok_or_else(|| Mistake::wrong(format!("argument \"{}\" must be a list of strings", names[0])))
    }

    /// A value of any kind.
    pub fn value(&mut self, names: &[&'static str]) -> Read<Value> {
        self.take(names)
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

pub fn json(value: Option<Value>) -> Parameter {
    (Box::new(value), Type::JSONB)
}

pub fn texts(value: Option<Vec<String>>) -> Parameter {
    (Box::new(value), Type::TEXT_ARRAY)
}

/// The identifier in a path: 404 where it is none.
pub fn id(what: &str, given: &str) -> Result<Parameter, Mistake> {
    match uuid::Uuid::parse_str(given) {
        Ok(id) => Ok(text(Some(id.to_string()))),
        Err(_) => Err(Mistake::new(StatusCode::NOT_FOUND, format!("{what} \"{given}\" does not exist"))),
    }
}

/// The named parts of a path.
pub type Path = BTreeMap<String, String>;

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
        assert_eq!(given.object(&["metadata"]).ok().unwrap().unwrap()["a"], 1);
        assert!(Fields::query("a=1&a=2").is_err());
        let mut wrong = Fields::query("limit=x&force=1").ok().unwrap();
        assert!(wrong.number(&["limit"]).is_err() && wrong.flag(&["force"]).is_err());
    }

    #[test]
    fn mistakes_name_the_argument() {
        let told = |mistake: Mistake| mistake.text().to_string();
        assert!(told(fields(r#"{"query": 1}"#).needed(&["query"]).err().unwrap()).contains("\"query\""));
        assert!(told(fields("{}").needed(&["query"]).err().unwrap()).contains("required"));
        assert!(told(fields(r#"{"query": " "}"#).needed(&["query"]).err().unwrap()).contains("required"));
        assert!(told(fields(r#"{"n": 1.5}"#).number(&["n"]).err().unwrap()).contains("whole"));
        assert!(told(fields(r#"{"t": "a\u0000b"}"#).text(&["t"]).err().unwrap()).contains("NUL"));
        let mut unknown = fields(r#"{"qurey": "a", "limit": 1}"#);
        let _ = unknown.number(&["limit"]);
        let mistake = unknown.end().err().unwrap();
        assert!(mistake.text().contains("unknown argument \"qurey\""), "{}", mistake.text());
        for wrong in ["[1]", "{", "\"a\"", "1"] {
            assert!(Fields::body(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(Fields::body(b" \n").is_ok());
    }

    #[test]
    fn an_identifier_that_is_none_is_not_found() {
        assert!(id("document", "0190c1e4-7a3e-7000-8000-000000000000").is_ok());
        for wrong in ["", "1", "stats", "0190c1e4-7a3e-7000-8000-00000000000g"] {
            assert_eq!(id("document", wrong).err().unwrap().status(), StatusCode::NOT_FOUND, "{wrong}");
        }
    }
}
