//! The conditions of a filter with operators.
//!
//! A condition is true or false, never unknown: a key that is missing, or a value of another type, makes a comparison false.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

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

    /// The values of the metadata that it looks at, in the order of the filter.
    pub fn subjects(&self) -> Vec<Looked> {
        let mut found = Vec::new();
        self.add_subjects(false, &mut found);
        found
    }

    fn add_subjects(&self, is_negated: bool, found: &mut Vec<Looked>) {
        match self {
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.add_subjects(is_negated, found));
            }
            Condition::Not(inner) => inner.add_subjects(!is_negated, found),
            Condition::Contains(object) => {
                let mut paths = Vec::new();
                add_paths(object, &mut Vec::new(), &mut paths);
                found.extend(paths.into_iter().map(|path| Looked { path, is_negated, is_exists: false }));
            }
            Condition::Test(Subject::Metadata(path), test) => {
                let is_exists = *test == Test::Exists;
                found.push(Looked { path: path.clone(), is_negated, is_exists });
            }
            Condition::Test(Subject::Column(_), _) => {}
        }
    }
}

/// A value of the metadata that a condition looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// Its keys from outside to inside; at least one.
    pub path: Vec<String>,
    /// Whether the condition holds where the test fails, as where there is no such value.
    pub is_negated: bool,
    /// Whether the test is that there is a value.
    pub is_exists: bool,
}

/// The paths to the values in a JSON object that are no objects, or are empty ones, or lie deeper than is read.
fn add_paths(json: &str, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    const MAX_DEPTH: usize = 8;
    let members: BTreeMap<String, &RawValue> = match json.starts_with('{') && path.len() < MAX_DEPTH {
        true => serde_json::from_str(json).unwrap_or_default(),
        false => BTreeMap::new(),
    };
    if members.is_empty() && !path.is_empty() {
        paths.push(path.clone());
    }
    for (key, value) in members {
        path.push(key);
        add_paths(value.get(), path, paths);
        path.pop();
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
    fn subjects_are_told_with_what_negates_them() {
        for (json, expected) in [
            (r#"{"a": 1, "b": {"c": 2}}"#, vec!["a", "b.c"]),
            (
                r#"{"a": {"$ne": 1}, "b": {"$nin": [1]}, "c.d": {"$not": {"$gt": 1}}}"#,
                vec!["!a", "!b", "!c.d"],
            ),
            (r#"{"$not": {"a": {"b": {}, "c": 1e400}, "d": {"$ne": 2}}}"#, vec!["!a.b", "!a.c", "d"]),
            (r#"{"$or": [{"a": {"$exists": false}}, {"b": {"$exists": true}}]}"#, vec!["!a?", "b?"]),
            (r#"{"$title": {"$ne": "a"}}"#, vec![]),
        ] {
            let subjects = parse(json).unwrap().subjects();
            let shown = |looked: &super::Looked| {
                let negated = if looked.is_negated { "!" } else { "" };
                format!("{negated}{}{}", looked.path.join("."), if looked.is_exists { "?" } else { "" })
            };
            assert_eq!(subjects.iter().map(shown).collect::<Vec<_>>(), expected, "{json}");
        }
    }
}
