//! Why a filter finds nothing, where that can be told.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::near::near;

/// What other systems call their operators, without a dollar sign, which is an error before anything is searched.
const OPERATORS: [&str; 30] = [
    "and", "or", "not", "nor", "in", "nin", "notin", "eq", "ne", "neq", "gt", "gte", "lt", "lte", "must",
    "must_not", "should", "filter", "match", "range", "term", "terms", "exists", "contains", "operator",
    "operands", "equals", "like", "between", "any",
];

/// At most this many keys are named in a hint.
const MAX_NAMED: usize = 5;

/// A longer key is not named in a hint, in bytes.
const MAX_NAME: usize = 60;

/// Keys of the filter to look for in an object of the metadata, with the texts that the filter compares them with.
pub type Wanted = BTreeMap<String, Option<String>>;

/// Keys of an object in the metadata of chunks.
pub type Held = BTreeMap<String, Values>;

/// The values that chunks have as one key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Values {
    /// Their types as PostgreSQL calls them.
    pub types: BTreeSet<String>,
    /// Those that are the text in the filter, but for letter case and spaces around it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub alike: BTreeSet<String>,
}

impl Values {
    /// Adds those of other chunks.
    pub fn extend(&mut self, other: Values) {
        self.types.extend(other.types);
        self.alike.extend(other.alike);
    }
}

/// What is wrong with a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A key is that of an operator.
    Operator(String),
    /// No chunk has a key. The hint says which ones there are.
    NoKey {
        /// With the keys above it.
        key: String,
        /// What keys there are.
        hint: Option<String>,
    },
    /// A key has values, but none of this type.
    NoType {
        /// With the keys above it.
        key: String,
        /// The type in the filter, with an article.
        given: &'static str,
        /// What to write instead.
        hint: String,
    },
    /// A key has no such text, but one that differs in letter case or spaces.
    NoText {
        /// With the keys above it.
        key: String,
        /// The text in the filter.
        given: String,
        /// One that chunks have.
        meant: String,
    },
}

/// The keys of an object of a filter, to be looked for.
pub fn wanted(object: &Map<String, Value>) -> Wanted {
    let text = |value: &Value| value.as_str().filter(|text| text.len() <= MAX_NAME).map(str::to_owned);
    object.iter().map(|(key, value)| (key.clone(), text(value))).collect()
}

/// A key that operators demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The outermost key.
    pub key: String,
    /// A value of the type that they find there; None for a path of keys, and if they find several types.
    pub value: Option<Value>,
}

/// The members of a filter that say what they demand by their values, and what its operators demand.
pub fn demanded(filter: Map<String, Value>) -> (Map<String, Value>, Vec<Demand>) {
    let (mut plain, mut demands) = (Map::new(), Vec::new());
    for (key, value) in filter.into_iter().filter(|(key, _)| !key.starts_with('$')) {
        let tests = value.as_object().filter(|object| object.keys().any(|key| key.starts_with('$')));
        match tests {
            None => {
                plain.insert(key, value);
            }
            // These hold where there is no value.
            Some(tests)
                if tests.keys().all(|test| matches!(test.as_str(), "$ne" | "$nin" | "$not" | "$exists")) => {}
            Some(tests) => {
                let value = tests.iter().find_map(|(test, value)| compared(test, value));
                let (outermost, is_path) = match key.split_once('.') {
                    Some((outermost, _)) => (outermost, true),
                    None => (key.as_str(), false),
                };
                demands.push(Demand { key: outermost.to_string(), value: value.filter(|_| !is_path) });
            }
        }
    }
    (plain, demands)
}

/// A value of the type that an operator finds. None if it finds values of several types.
fn compared(test: &str, value: &Value) -> Option<Value> {
    match test {
        "$eq" | "$lt" | "$lte" | "$gt" | "$gte" => Some(value.clone()),
        "$in" | "$between" => {
            let values = value.as_array()?;
            let first = values.first()?;
            values.iter().all(|value| type_of(value) == type_of(first)).then(|| first.clone())
        }
        "$like" | "$ilike" => Some(Value::String(String::new())),
        "$contains" => Some(Value::Array(Vec::new())),
        _ => None,
    }
}

/// Why a demand is not met: chunks do not have the key, or no value of the type; they have `held`. None if nothing is seen.
pub fn unmet(demand: &Demand, held: &Held) -> Option<Remark> {
    let key = demand.key.clone();
    let Some(Values { types, .. }) = held.get(&key) else {
        return Some(Remark::NoKey { hint: keys(&key, held), key });
    };
    let value = demand.value.as_ref()?;
    (!types.is_empty() && !types.contains(type_of(value))).then(|| Remark::NoType {
        given: with_article(type_of(value)),
        hint: match types.contains("array") {
            true => format!("\"{key}\" holds an array there: use $contains."),
            false => other_type(&key, value, types),
        },
        key,
    })
}

/// What is wrong with an object of the filter, which is at `path`; chunks have `held` there. None if nothing is seen.
pub fn remark(path: &[&str], object: &Map<String, Value>, held: &Held) -> Option<Remark> {
    let name = |key: &str| path.iter().chain([&key]).copied().collect::<Vec<_>>().join(".");
    let operator = object.iter().find_map(|(key, value)| {
        let Some(values) = held.get(key) else { return is_operator(key).then(|| key.clone()) };
        let inner = value.as_object().filter(|_| !values.types.contains("object"))?;
        inner.keys().find(|key| is_operator(key)).cloned()
    });
    if let Some(operator) = operator {
        return Some(Remark::Operator(operator));
    }
    object.iter().find_map(|(key, value)| match held.get(key) {
        None => Some(Remark::NoKey { key: name(key), hint: keys(key, held) }),
        Some(Values { types, alike }) if types.contains(type_of(value)) || types.is_empty() => {
            let given = value.as_str().filter(|given| !alike.contains(*given))?;
            let (key, given) = (name(key), given.to_owned());
            alike.first().map(|meant| Remark::NoText { key, given, meant: meant.clone() })
        }
        Some(Values { types, .. }) => Some(Remark::NoType {
            key: name(key),
            given: with_article(type_of(value)),
            hint: other_type(&name(key), value, types),
        }),
    })
}

fn is_operator(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let key = key.trim_matches('_').replace('-', "_");
    OPERATORS.contains(&key.as_str())
}

/// The key that was probably meant, or some of those that there are.
fn keys(key: &str, held: &Held) -> Option<String> {
    let named = || held.keys().map(String::as_str).filter(|key| key.len() <= MAX_NAME);
    if let Some(meant) = near(key, named()).first() {
        return Some(format!("Did you mean \"{meant}\"?"));
    }
    let some: Vec<&str> = named().take(MAX_NAMED).collect();
    (!some.is_empty()).then(|| format!("Keys in use: {}.", some.join(", ")))
}

fn other_type(name: &str, value: &Value, types: &BTreeSet<String>) -> String {
    let held: Vec<&str> = types.iter().map(|held| with_article(held)).collect();
    let held = format!("\"{name}\" holds {} there", held.join(" or "));
    match converted(value, types) {
        Some(other) => format!("{held}: write {other} instead of {value}."),
        None => format!("{held}. A filter compares the types of values, too (jsonb @>)."),
    }
}

/// A short value in a type that chunks have.
fn converted(value: &Value, types: &BTreeSet<String>) -> Option<Value> {
    let has = |held: &str| types.contains(held);
    let other = match value {
        Value::String(text) => {
            let parsed: Option<Value> = serde_json::from_str(text.trim()).ok();
            parsed.filter(|value| {
                !value.is_string() && !value.is_array() && !value.is_object() && has(type_of(value))
            })
        }
        Value::Number(_) | Value::Bool(_) if has("string") => Some(Value::String(value.to_string())),
        _ => None,
    };
    let in_array = || {
        let is_single = !value.is_array() && !value.is_object();
        (is_single && has("array")).then(|| Value::Array(vec![value.clone()]))
    };
    other.or_else(in_array).filter(|value| value.to_string().len() <= MAX_NAME)
}

/// As jsonb_typeof calls it.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(name: &str) -> &'static str {
    match name {
        "boolean" => "a boolean",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn held() -> Held {
        [
            ("team", &["string"][..]),
            ("views", &["number"]),
            ("public", &["boolean"]),
            ("tags", &["array"]),
            ("author", &["object"]),
            ("mixed", &["number", "string"]),
            ("filter", &["string"]),
        ]
        .map(|(key, types)| {
            let types = types.iter().map(|held| (*held).to_owned()).collect();
            (key.to_owned(), Values { types, alike: BTreeSet::new() })
        })
        .into()
    }

    fn told(filter: &Value) -> Option<Remark> {
        remark(&[], filter.as_object().unwrap(), &held())
    }

    #[test]
    fn keys_that_no_chunk_has() {
        for (filter, key, hint) in [
            (json!({"teem": "a"}), "teem", "Did you mean \"team\"?"),
            (json!({"Team": "a"}), "Team", "Did you mean \"team\"?"),
            (json!({"team": "a", "vews": 1}), "vews", "Did you mean \"views\"?"),
            (json!({"color": "red"}), "color", "Keys in use: author, filter, mixed, public, tags."),
        ] {
            let hint = Some(hint.to_owned());
            assert_eq!(told(&filter), Some(Remark::NoKey { key: key.to_owned(), hint }), "{filter}");
        }
        let nothing = remark(&["a", "b"], json!({"c": 1}).as_object().unwrap(), &Held::new());
        assert_eq!(nothing, Some(Remark::NoKey { key: "a.b.c".into(), hint: None }));
    }

    #[test]
    fn values_of_another_type() {
        for (filter, given, hint) in [
            (
                json!({"views": "20"}),
                "a string",
                "\"views\" holds a number there: write 20 instead of \"20\".",
            ),
            (json!({"team": 7}), "a number", "\"team\" holds a string there: write \"7\" instead of 7."),
            (
                json!({"public": "true"}),
                "a string",
                "\"public\" holds a boolean there: write true instead of \"true\".",
            ),
            (
                json!({"tags": "a"}),
                "a string",
                "\"tags\" holds an array there: write [\"a\"] instead of \"a\".",
            ),
            (json!({"tags": 1}), "a number", "\"tags\" holds an array there: write [1] instead of 1."),
            (
                json!({"team": ["a", "b"]}),
                "an array",
                "\"team\" holds a string there. A filter compares the types of values, too (jsonb @>).",
            ),
            (
                json!({"mixed": null}),
                "null",
                "\"mixed\" holds a number or a string there. A filter compares the types of values, too (jsonb @>).",
            ),
            (
                json!({"views": "many"}),
                "a string",
                "\"views\" holds a number there. A filter compares the types of values, too (jsonb @>).",
            ),
        ] {
            let key = filter.as_object().unwrap().keys().next().unwrap().clone();
            assert_eq!(told(&filter), Some(Remark::NoType { key, given, hint: hint.to_owned() }), "{filter}");
        }
    }

    #[test]
    fn texts_in_another_case() {
        let alike = |texts: &[&str]| {
            let mut held = held();
            held.entry("team".into()).or_default().alike = texts.iter().map(|&text| text.into()).collect();
            remark(&["a"], json!({"team": "Sales"}).as_object().unwrap(), &held)
        };
        let told = Remark::NoText { key: "a.team".into(), given: "Sales".into(), meant: "SALES".into() };
        assert_eq!(alike(&["sales", "SALES"]), Some(told));
        assert_eq!(alike(&["sales", "Sales"]), None);
        assert_eq!(alike(&[]), None);
    }

    #[test]
    fn long_texts_are_not_looked_for() {
        let long = "a".repeat(MAX_NAME + 1);
        let filter = json!({"team": "Sales", "views": 1, "long": long, "tags": ["Sales"]});
        let none = ["long", "tags", "views"].map(|key| (key.to_owned(), None));
        let expected = none.into_iter().chain([("team".to_owned(), Some("Sales".to_owned()))]).collect();
        assert_eq!(wanted(filter.as_object().unwrap()), expected);
    }

    #[test]
    fn operators_demand_keys_and_types() {
        let told = |filter: Value| {
            let (plain, demands) = demanded(filter.as_object().unwrap().clone());
            assert_eq!(plain.len(), 0, "{filter}");
            demands.iter().find_map(|demand| unmet(demand, &held()))
        };
        for (filter, given) in [
            (json!({"views": {"$lt": "15"}}), "a string"),
            (json!({"team": {"$in": [1, 2]}}), "a number"),
            (json!({"team": {"$contains": "x"}}), "an array"),
            (json!({"views": {"$like": "1%"}}), "a string"),
        ] {
            let Some(Remark::NoType { given: told, .. }) = told(filter.clone()) else { panic!("{filter}") };
            assert_eq!(told, given);
        }
        for filter in [
            json!({"views": {"$lt": 15}}),
            json!({"views": {"$in": [15, "15"]}}),
            json!({"mixed": {"$between": ["a", "b"]}}),
            json!({"tags.0": {"$eq": "x"}}),
            json!({"team": {"$ne": 1}, "no": {"$exists": false}}),
        ] {
            assert_eq!(told(filter.clone()), None, "{filter}");
        }
        for (filter, key) in [
            (json!({"term": {"$eq": "x"}}), "term"),
            (json!({"range.min": {"$gt": 1}}), "range"),
            (json!({"a.".repeat(100_000): {"$gt": 1}}), "a"),
        ] {
            let Some(Remark::NoKey { key: told, .. }) = told(filter.clone()) else { panic!("{filter}") };
            assert_eq!(told, key);
        }
    }

    #[test]
    fn operators_of_other_systems() {
        for (filter, operator) in [
            (json!({"views": {"gte": 100}}), "gte"),
            (json!({"must": [{"key": "team"}]}), "must"),
            (json!({"AND": []}), "AND"),
            (json!({"team": "a", "or": []}), "or"),
            (json!({"must_not": {}}), "must_not"),
        ] {
            assert_eq!(told(&filter), Some(Remark::Operator(operator.to_owned())), "{filter}");
        }
    }

    #[test]
    fn nothing_is_told_of_what_may_be_right() {
        for filter in [
            json!({}),
            json!({"team": "z", "views": 1, "public": true, "tags": [], "mixed": "x"}),
            json!({"author": {"gte": 1}}),
            json!({"filter": "a"}),
        ] {
            assert_eq!(told(&filter), None, "{filter}");
        }
    }
}
