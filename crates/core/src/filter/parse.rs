//! Reading filters with operators: from JSON to conditions.
//!
//! A member without operators is containment (`metadata @> {"k": v}`). In a member with operators the key is a path of keys
//! separated by dots.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::condition::{Column, Condition, Order, Subject, Test};
use super::invalid::{Invalid, invalid, shown};
use super::value::{bound, checked, like};
use crate::near::near;

/// Operators within operators.
const MAX_DEPTH: usize = 8;
const MAX_OPERATORS: usize = 100;
/// Of all lists together, and members without operators.
const MAX_VALUES: usize = 1_000;

/// The operators, for messages.
pub const OPERATORS: &str = "$eq, $ne, $lt, $lte, $gt, $gte, $in, $nin, $between, $exists, $contains, $like, $ilike, $and, $or and $not";

/// The columns of the document.
const COLUMNS: [&str; 4] = ["$title", "$source", "$created_at", "$updated_at"];

type Members = BTreeMap<String, Box<RawValue>>;

/// The conditions of a filter, which is a JSON object as PostgreSQL writes jsonb.
pub fn parse(json: &str) -> Result<Condition, Invalid> {
    let mut parser = Parser { operators: 0, values: 0 };
    match members(json) {
        Some(members) => parser.object(members, 0),
        None => invalid("filter must be a JSON object", "For example '{\"team\": \"support\"}'."),
    }
}

fn members(json: &str) -> Option<Members> {
    json.starts_with('{').then(|| serde_json::from_str(json).ok()).flatten()
}

struct Parser {
    operators: usize,
    values: usize,
}

impl Parser {
    /// All members of an object.
    fn object(&mut self, mut members: Members, depth: usize) -> Result<Condition, Invalid> {
        if depth > MAX_DEPTH {
            return invalid(
                "the operators of the filter are nested too deeply",
                format!("At most {MAX_DEPTH} levels are read."),
            );
        }
        let mut all = Vec::new();
        if let Some(path) = members.remove("$path") {
            let keys: Vec<String> = serde_json::from_str(path.get()).unwrap_or_default();
            let (tests, rest): (Members, Members) = members.into_iter().partition(|(key, _)| {
                !matches!(key.as_str(), "$and" | "$or") && key.starts_with('$') && column(key).is_none()
            });
            if keys.is_empty() || tests.is_empty() {
                return invalid(
                    format!("\"$path\" {} is not used", path.get()),
                    "Give an array of keys and operators beside it: {\"$path\": [\"a.b\"], \"$gte\": 5}.",
                );
            }
            all.push(self.tests(&Subject::Metadata(keys), tests, depth)?);
            members = rest;
        }
        for (key, value) in members {
            all.push(self.member(key, &value, depth)?);
        }
        Ok(all_of(all))
    }

    fn member(&mut self, key: String, value: &RawValue, depth: usize) -> Result<Condition, Invalid> {
        match key.as_str() {
            "$and" | "$or" => {
                self.count(&key)?;
                let Some(list) = serde_json::from_str::<Vec<Box<RawValue>>>(value.get()).ok() else {
                    return invalid(
                        format!("filter operator \"{key}\" needs an array"),
                        "Give an array of filters: [{…}, {…}].",
                    );
                };
                self.count_values(list.len())?;
                let mut parts = Vec::new();
                for part in &list {
                    parts.push(self.filter(&key, part, depth)?);
                }
                Ok(if key == "$and" { all_of(parts) } else { Condition::Any(parts) })
            }
            "$not" => {
                self.count(&key)?;
                Ok(Condition::Not(Box::new(self.filter(&key, value, depth)?)))
            }
            _ => {
                let tests = members(value.get()).filter(|tests| tests.keys().any(|key| key.starts_with('$')));
                match (column(&key), tests) {
                    (Some(column), Some(tests)) => self.tests(&Subject::Column(column), tests, depth),
                    (Some(column), None) => self.test(&Subject::Column(column), "$eq", value, depth),
                    (None, _) if operators().any(|operator| operator == key) => invalid(
                        format!("filter operator \"{key}\" needs a key"),
                        format!("Write it within a key of the metadata: {{\"year\": {{\"{key}\": …}}}}."),
                    ),
                    (None, _) if key.starts_with('$') => unknown(&key),
                    (None, Some(tests)) => {
                        let keys = key.split('.').map(str::to_owned).collect();
                        self.tests(&Subject::Metadata(keys), tests, depth)
                    }
                    (None, None) => {
                        self.count_values(1)?;
                        contains(key, value)
                    }
                }
            }
        }
    }

    fn filter(&mut self, of: &str, value: &RawValue, depth: usize) -> Result<Condition, Invalid> {
        match members(value.get()) {
            Some(members) => self.object(members, depth + 1),
            None => invalid(
                format!("filter operator \"{of}\" needs filters"),
                "A filter is a JSON object: {\"team\": \"support\"}.",
            ),
        }
    }

    fn tests(&mut self, subject: &Subject, tests: Members, depth: usize) -> Result<Condition, Invalid> {
        if depth > MAX_DEPTH {
            return invalid(
                "the operators of the filter are nested too deeply",
                format!("At most {MAX_DEPTH} levels are read."),
            );
        }
        let mut all = Vec::new();
        for (operator, value) in tests {
            if !operator.starts_with('$') {
                return invalid(
                    format!("filter key \"{operator}\" stands beside operators"),
                    "Keys of objects within are written with dots: {\"a.b\": {\"$gte\": 5}}.",
                );
            }
            all.push(self.test(subject, &operator, &value, depth)?);
        }
        Ok(all_of(all))
    }

    fn test(
        &mut self,
        subject: &Subject,
        operator: &str,
        value: &RawValue,
        depth: usize,
    ) -> Result<Condition, Invalid> {
        self.count(operator)?;
        let json = value.get();
        let test = |test| Condition::Test(subject.clone(), test);
        let not = |condition| Condition::Not(Box::new(condition));
        let compare = |order, json: &str| Ok(test(Test::Compare(order, bound(subject, operator, json)?)));
        Ok(match operator {
            "$eq" => test(Test::Equal(checked(subject, operator, json)?)),
            "$ne" => not(test(Test::Equal(checked(subject, operator, json)?))),
            "$lt" => compare(Order::Less, json)?,
            "$lte" => compare(Order::LessOrEqual, json)?,
            "$gt" => compare(Order::Greater, json)?,
            "$gte" => compare(Order::GreaterOrEqual, json)?,
            "$in" | "$nin" => {
                let values = self.list(operator, json)?;
                let values = values.iter().map(|value| checked(subject, operator, value.get()));
                let is_in = test(Test::In(values.collect::<Result<_, _>>()?));
                if operator == "$in" { is_in } else { not(is_in) }
            }
            "$between" => match &self.list(operator, json)?[..] {
                [from, to] => all_of(vec![
                    compare(Order::GreaterOrEqual, from.get())?,
                    compare(Order::LessOrEqual, to.get())?,
                ]),
                _ => {
                    return invalid(
                        "filter operator \"$between\" needs two values",
                        "Give the least and the greatest: [1, 5].",
                    );
                }
            },
            "$exists" => match json {
                "true" => test(Test::Exists),
                "false" => not(test(Test::Exists)),
                _ => {
                    return invalid(
                        format!("filter operator \"$exists\" has {}", shown(json)),
                        "Use true or false.",
                    );
                }
            },
            "$contains" => {
                if matches!(subject, Subject::Column(_)) {
                    return invalid(
                        "filter operator \"$contains\" is for arrays in the metadata",
                        "Use $like for text.",
                    );
                }
                let elements = if json.starts_with('[') { json.to_string() } else { format!("[{json}]") };
                self.list(operator, &elements)?;
                test(Test::HasElements(elements))
            }
            "$like" | "$ilike" => test(like(subject, operator, json)?),
            "$not" => match members(json) {
                Some(tests) if !tests.is_empty() => not(self.tests(subject, tests, depth + 1)?),
                _ => {
                    return invalid(
                        "filter operator \"$not\" needs operators",
                        "For example {\"year\": {\"$not\": {\"$gte\": 2024}}}.",
                    );
                }
            },
            "$and" | "$or" => {
                return invalid(
                    format!("filter operator \"{operator}\" stands within a key"),
                    format!(
                        "Write it around filters: {{\"{operator}\": [{{\"year\": 2023}}, {{\"year\": 2024}}]}}."
                    ),
                );
            }
            _ if column(operator).is_some() => {
                return invalid(
                    format!("\"{operator}\" is a column of the document, not a filter operator"),
                    format!("Write it in place of a key: {{\"{operator}\": …}}."),
                );
            }
            _ => return unknown(operator),
        })
    }

    fn list(&mut self, operator: &str, json: &str) -> Result<Vec<Box<RawValue>>, Invalid> {
        let Ok(values) = serde_json::from_str::<Vec<Box<RawValue>>>(json) else {
            return invalid(
                format!("filter operator \"{operator}\" needs an array"),
                "Give an array of values.",
            );
        };
        self.count_values(values.len())?;
        Ok(values)
    }

    fn count_values(&mut self, values: usize) -> Result<(), Invalid> {
        self.values += values;
        if self.values > MAX_VALUES {
            return invalid(
                "the filter has too many values",
                format!("Its lists and members hold at most {MAX_VALUES} values together."),
            );
        }
        Ok(())
    }

    fn count(&mut self, operator: &str) -> Result<(), Invalid> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return invalid(
                format!("the filter has too many operators: {operator} is one more than {MAX_OPERATORS}"),
                "Use $in for a list of values.",
            );
        }
        Ok(())
    }
}

fn all_of(mut conditions: Vec<Condition>) -> Condition {
    match conditions.len() {
        1 => conditions.remove(0),
        _ => Condition::All(conditions),
    }
}

/// A member without operators.
fn contains(key: String, value: &RawValue) -> Result<Condition, Invalid> {
    if let Some(operator) = super::operator_key(value.get()) {
        return invalid(
            format!("filter operator \"{operator}\" stands within a value of key \"{}\"", shown(&key)),
            "Keys of objects within are written with dots: {\"a.b\": {\"$gte\": 5}}.",
        );
    }
    let key = serde_json::to_string(&key).unwrap_or_default();
    Ok(Condition::Contains(format!("{{{key}: {}}}", value.get())))
}

fn column(key: &str) -> Option<Column> {
    match key {
        "$created_at" => Some(Column::CreatedAt),
        "$updated_at" => Some(Column::UpdatedAt),
        "$source" => Some(Column::Source),
        "$title" => Some(Column::Title),
        _ => None,
    }
}

fn operators() -> impl Iterator<Item = &'static str> {
    OPERATORS.split([',', ' ']).filter(|name| name.starts_with('$'))
}

fn unknown<T>(operator: &str) -> Result<T, Invalid> {
    let names = operators().chain(COLUMNS);
    let meant = near(operator, names).first().map(|meant| format!("Did you mean \"{meant}\"? "));
    let [title, source, created_at, updated_at] = COLUMNS;
    invalid(
        format!("filter operator \"{}\" does not exist", shown(operator)),
        format!(
            "{}Operators are {OPERATORS}; columns of the document are {title}, {source}, {created_at} and {updated_at}.",
            meant.unwrap_or_default()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::condition::Bound;
    use crate::filter::value::{MAX_ANY, MAX_PATTERN};

    fn number(path: &str, order: Order, bound: &str) -> Condition {
        let keys = path.split('.').map(str::to_owned).collect();
        Condition::Test(Subject::Metadata(keys), Test::Compare(order, Bound::Number(bound.into())))
    }

    fn holds(json: &str) -> Condition {
        Condition::Contains(json.into())
    }

    #[test]
    fn members_without_operators_are_contained() {
        assert_eq!(parse(r#"{"team": "a"}"#), Ok(holds(r#"{"team": "a"}"#)));
        assert_eq!(parse(r#"{"a.b": {"c": [1]}}"#), Ok(holds(r#"{"a.b": {"c": [1]}}"#)));
        let both = vec![holds(r#"{"a": 1}"#), holds(r#"{"b": 1.00}"#)];
        assert_eq!(parse(r#"{"a": 1, "b": 1.00}"#), Ok(Condition::All(both.clone())));
        assert_eq!(parse(r#"{"$or": [{"a": 1}, {"b": 1.00}]}"#), Ok(Condition::Any(both)));
        assert_eq!(parse("{}"), Ok(Condition::All(Vec::new())));
        assert_eq!(parse(r#"{"$or": []}"#), Ok(Condition::Any(Vec::new())));
    }

    #[test]
    fn keys_of_members_with_operators_are_paths() {
        assert_eq!(parse(r#"{"a.b": {"$gte": 5}}"#), Ok(number("a.b", Order::GreaterOrEqual, "5")));
        let path = Subject::Metadata(vec!["a.b".into()]);
        let less = Test::Compare(Order::Less, Bound::Number("-1.5e3".into()));
        assert_eq!(parse(r#"{"$path": ["a.b"], "$lt": -1.5e3}"#), Ok(Condition::Test(path, less)));
        let between = vec![number("y", Order::GreaterOrEqual, "1"), number("y", Order::LessOrEqual, "2")];
        assert_eq!(parse(r#"{"y": {"$between": [1, 2]}}"#), Ok(Condition::All(between)));
    }

    #[test]
    fn times_are_known_beside_their_text() {
        let parsed = parse(r#"{"day": {"$gt": "2000-01-01T00:00:01Z"}}"#);
        let bound = Bound::Text("2000-01-01T00:00:01Z".into(), Some(1_000_000));
        assert_eq!(
            parsed,
            Ok(Condition::Test(Subject::Metadata(vec!["day".into()]), Test::Compare(Order::Greater, bound)))
        );
        let title = parse(r#"{"$title": {"$gt": "2000-01-01"}}"#);
        let bound = Bound::Text("2000-01-01".into(), None);
        assert_eq!(
            title,
            Ok(Condition::Test(Subject::Column(Column::Title), Test::Compare(Order::Greater, bound)))
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (json, message) in [
            (r#"[]"#, "filter must be a JSON object"),
            (r#"{"a": {"$foo": 1}}"#, "filter operator \"$foo\" does not exist"),
            (r#"{"$gte": 5}"#, "filter operator \"$gte\" needs a key"),
            (r#"{"$titel": "A"}"#, "filter operator \"$titel\" does not exist"),
            (r#"{"a": {"$or": [1]}}"#, "filter operator \"$or\" stands within a key"),
            (r#"{"a": {"$title": "x"}}"#, "\"$title\" is a column of the document, not a filter operator"),
            (r#"{"a": {"$gte": 5, "b": 1}}"#, "filter key \"b\" stands beside operators"),
            (r#"{"a": {"b": {"$gte": 5}}}"#, "filter operator \"$gte\" stands within a value of key \"a\""),
            (r#"{"a": {"$in": 5}}"#, "filter operator \"$in\" needs an array"),
            (r#"{"a": {"$gt": true}}"#, "filter operator \"$gt\" cannot compare true"),
            (r#"{"a": {"$exists": 1}}"#, "filter operator \"$exists\" has 1"),
            (r#"{"a": {"$like": "x\\"}}"#, "the pattern of \"$like\" ends with a backslash"),
            (r#"{"$created_at": {"$gt": "yesterday"}}"#, "\"yesterday\" is not a time"),
            (r#"{"$created_at": 5}"#, "filter operator \"$eq\" cannot compare 5"),
            (r#"{"$or": {"a": 1}}"#, "filter operator \"$or\" needs an array"),
            (r#"{"$not": 1}"#, "filter operator \"$not\" needs filters"),
            (r#"{"$path": ["a"]}"#, "\"$path\" [\"a\"] is not used"),
        ] {
            assert_eq!(parse(json).map_err(|error| error.message), Err(message.to_string()), "{json}");
        }
    }

    #[test]
    fn filters_are_bounded() {
        let nested = |levels: usize| r#"{"$not": "#.repeat(levels) + r#"{"a": 1}"# + &"}".repeat(levels);
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
        assert!(parse(&nested(50_000)).is_err());
        let operators =
            |count: usize| format!(r#"{{"$or": [{}]}}"#, vec![r#"{"a": {"$gt": 1}}"#; count].join(","));
        assert!(parse(&operators(MAX_OPERATORS - 1)).is_ok());
        assert!(parse(&operators(MAX_OPERATORS)).is_err());
        let values = |count: usize| format!(r#"{{"a": {{"$in": [{}]}}}}"#, vec!["1"; count].join(","));
        assert!(parse(&values(MAX_VALUES)).is_ok());
        assert!(parse(&values(MAX_VALUES + 1)).is_err());
        let members = |count: usize| format!(r#"{{"$or": [{}]}}"#, vec![r#"{"a": 1}"#; count].join(","));
        assert!(parse(&members(MAX_VALUES / 2)).is_ok());
        assert!(parse(&members(MAX_VALUES / 2 + 1)).is_err());
        let pattern = |pattern: String| parse(&format!(r#"{{"a": {{"$like": "{pattern}"}}}}"#));
        assert!(pattern("%".repeat(MAX_ANY)).is_ok());
        assert!(pattern("%".repeat(MAX_ANY + 1)).is_err());
        assert!(pattern("x".repeat(MAX_PATTERN + 1)).is_err());
    }
}
