//! The conditions of a filter with operators.
//!
//! A condition is true or false, never unknown: a key that is missing, or a value of another type, makes a comparison false.

use serde_json::{Map, Value};

/// A condition on the metadata of a chunk or document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All of these; true if there are none.
    All(Vec<Condition>),
    /// One of these; false if there are none.
    Any(Vec<Condition>),
    /// True where the other is false.
    Not(Box<Condition>),
    /// The metadata contains this JSON object.
    Contains(String),
    /// A value passes a test.
    Test(Subject, Test),
}

impl Condition {
    /// Whether it is true, or false, whatever the metadata. None if it depends on them, as far as its form tells.
    pub fn constant(&self) -> Option<bool> {
        let all = |parts: &[Condition], value: bool| {
            let constants: Vec<Option<bool>> = parts.iter().map(Condition::constant).collect();
            if constants.contains(&Some(!value)) {
                return Some(!value);
            }
            constants.iter().all(|constant| *constant == Some(value)).then_some(value)
        };
        match self {
            Condition::All(parts) => all(parts, true),
            Condition::Any(parts) => all(parts, false),
            Condition::Not(inner) => inner.constant().map(|value| !value),
            Condition::Test(_, Test::In(values)) if values.is_empty() => Some(false),
            Condition::Contains(_) | Condition::Test(..) => None,
        }
    }

    /// The outermost keys of the metadata that it looks at, in the order of the filter, and whether it is true of metadata without
    /// the key because it denies something about the value. `$exists` says that itself.
    pub fn keys(&self) -> Vec<(String, bool)> {
        let mut keys = Vec::new();
        self.add_keys(false, &mut keys);
        keys
    }

    fn add_keys(&self, is_denied: bool, keys: &mut Vec<(String, bool)>) {
        match self {
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.add_keys(is_denied, keys));
            }
            Condition::Not(inner) => inner.add_keys(!is_denied, keys),
            Condition::Contains(object) => {
                let object: Map<String, Value> = serde_json::from_str(object).unwrap_or_default();
                keys.extend(object.into_iter().map(|(key, _)| (key, is_denied)));
            }
            Condition::Test(Subject::Metadata(path), test) => {
                keys.extend(path.first().map(|key| (key.clone(), is_denied && *test != Test::Exists)));
            }
            Condition::Test(Subject::Column(_), _) => {}
        }
    }
}

/// A value that is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A value in the metadata, by its keys from outside to inside; at least one.
    Metadata(Vec<String>),
    /// Columns of the document.
    Column(Column),
}

/// A column of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// A time.
    CreatedAt,
    /// A time.
    UpdatedAt,
    /// Text: the source key.
    Source,
    /// Text.
    Title,
}

/// A test of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// It is equal to this JSON value.
    Equal(String),
    /// It is equal to one of these JSON values.
    In(Vec<String>),
    /// It is on this side of the bound, and of its type.
    Compare(Order, Bound),
    /// There is one; null counts.
    Exists,
    /// It is an array that contains the elements of this JSON array.
    HasElements(String),
    /// It is text that matches a pattern of LIKE.
    Like {
        /// The pattern; it does not end with a single backslash.
        pattern: String,
        /// As ILIKE does.
        any_case: bool,
    },
}

/// The side of a bound on which a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A bound that a value is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// As JSON.
    Number(String),
    /// Text, and the time that it is in ISO 8601, in microseconds since 2000. Two times are compared as such, and other texts by
    /// their bytes.
    Text(String, Option<i64>),
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;

    #[test]
    fn filters_that_demand_nothing_are_known() {
        let constant = |json: &str| parse(json).map(|condition| condition.constant());
        for json in [
            r#"{"$and": []}"#,
            r#"{"$or": [{}]}"#,
            r#"{"$not": {"$or": []}}"#,
            r#"{"n": {"$nin": []}}"#,
            r#"{"$or": [{"a": 1}, {"$and": [{}, {}]}]}"#,
            r#"{"$not": {"n": {"$in": []}}}"#,
        ] {
            assert_eq!(constant(json), Ok(Some(true)), "{json}");
        }
        for json in [r#"{"$or": []}"#, r#"{"a": 1, "$or": []}"#, r#"{"n": {"$in": []}}"#, r#"{"$not": {}}"#] {
            assert_eq!(constant(json), Ok(Some(false)), "{json}");
        }
        for json in [
            r#"{"a": 1}"#,
            r#"{"$and": [{}, {"a": 1}]}"#,
            r#"{"$not": {"a": 1}}"#,
            r#"{"a": {"$exists": true}}"#,
        ] {
            assert_eq!(constant(json), Ok(None), "{json}");
        }
    }

    #[test]
    fn keys_are_told_with_what_denies_them() {
        for (json, expected) in [
            (r#"{"a": 1, "b": {"c": 2}}"#, vec![("a", false), ("b", false)]),
            (
                r#"{"a": {"$ne": 1}, "b": {"$nin": [1]}, "c.d": {"$not": {"$gt": 1}}}"#,
                vec![("a", true), ("b", true), ("c", true)],
            ),
            (r#"{"$not": {"a": 1, "b": {"$ne": 2}}}"#, vec![("a", true), ("b", false)]),
            (
                r#"{"$or": [{"a": {"$exists": false}}, {"$not": {"b": {"$exists": true}}}]}"#,
                vec![("a", false), ("b", false)],
            ),
            (r#"{"$title": {"$ne": "a"}}"#, vec![]),
        ] {
            let keys = parse(json).unwrap().keys();
            let keys: Vec<(&str, bool)> =
                keys.iter().map(|(key, is_denied)| (key.as_str(), *is_denied)).collect();
            assert_eq!(keys, expected, "{json}");
        }
    }
}
