//! Filters by metadata as conditions of statements. `kb_rag_core::filter::condition` says what they mean.

use kb_rag_core::filter::condition::{Bound, Column, Condition, Looked, Order, Subject, Test};
use kb_rag_core::filter::invalid::Invalid;
use kb_rag_core::filter::parse::parse;
use kb_rag_core::filter::{operator_key, time};
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{Arg, quote_literal};

/// Up to this many values are looked up in an index one by one.
const MAX_LOOKED_UP: usize = 64;

/// A filter that was read.
#[derive(Clone, Debug)]
pub enum Filter {
    /// The metadata contains this object.
    Containment(Jsonb),
    /// With operators.
    Operators(Condition),
}

impl Filter {
    /// Reads a filter. None if everything passes. 22023 for one that is no object, or whose operators cannot be used.
    pub fn read(filter: &Jsonb) -> Result<Option<Filter>> {
        if filter.is_empty_object() {
            return Ok(None);
        }
        let text = filter.to_text();
        if filter.is_object() && operator_key(&text).is_none() {
            return Ok(Some(Filter::Containment(filter.clone())));
        }
        let invalid = |Invalid { message, hint }| Error::invalid(message).hint(hint);
        let condition = parse(&text).map_err(invalid)?;
        Ok((condition.constant() != Some(true)).then_some(Filter::Operators(condition)))
    }

    /// The values of the metadata that it looks at. Of a filter without operators, the outermost keys.
    pub fn subjects(&self) -> Vec<Looked> {
        match self {
            Filter::Containment(filter) => match filter.value() {
                Some(Value::Object(object)) => {
                    let looked = |key| Looked { path: vec![key], is_negated: false, is_exists: false };
                    object.into_iter().map(|(key, _)| looked(key)).collect()
                }
                _ => Vec::new(),
            },
            Filter::Operators(condition) => condition.subjects(),
        }
    }

    /// A condition on the rows of `on`, with its values appended to `args`. Unknown where it is false.
    pub fn sql(&self, on: &Rows, args: &mut Vec<Arg>) -> Result<String> {
        match self {
            Filter::Containment(filter) => {
                args.push(Arg::new(filter.clone()));
                Ok(format!("{} @> ${}", on.metadata, args.len()))
            }
            Filter::Operators(condition) => Sql { on, args }.condition(condition),
        }
    }
}

/// The condition of a filter on the rows of `on`, with its values appended to `args`; `true` without one.
pub fn conditions(filter: Option<&Filter>, on: &Rows, args: &mut Vec<Arg>) -> Result<String> {
    filter.map_or(Ok("true".to_string()), |filter| filter.sql(on, args))
}

/// The rows that a condition is about.
pub struct Rows<'a> {
    /// Their metadata.
    pub metadata: &'a str,
    /// Whether the rows are documents, called `d`. Otherwise they are chunks, called `c`, of documents of this table.
    pub document: Option<&'a str>,
}

struct Sql<'a, 'b> {
    on: &'a Rows<'a>,
    args: &'b mut Vec<Arg>,
}

impl Sql<'_, '_> {
    fn arg(&mut self, arg: Arg) -> String {
        self.args.push(arg);
        format!("${}", self.args.len())
    }

    fn json(&mut self, json: &str) -> Result<String> {
        let value = Jsonb::from_text(json)?;
        Ok(self.arg(Arg::new(value)))
    }

    fn condition(&mut self, condition: &Condition) -> Result<String> {
        Ok(match condition {
            Condition::All(parts) => self.joined(parts, " AND ", "true")?,
            Condition::Any(parts) => self.joined(parts, " OR ", "false")?,
            Condition::Not(inner) => format!("(({}) IS NOT TRUE)", self.condition(inner)?),
            Condition::Contains(object) => format!("{} @> {}", self.on.metadata, self.json(object)?),
            Condition::Test(Subject::Metadata(keys), test) => self.value(keys, test)?,
            Condition::Test(Subject::Column(column), test) => self.column(*column, test)?,
        })
    }

    fn joined(&mut self, parts: &[Condition], operator: &str, none: &str) -> Result<String> {
        let parts = parts.iter().map(|part| self.condition(part)).collect::<Result<Vec<_>>>()?;
        Ok(if parts.is_empty() { none.to_string() } else { format!("({})", parts.join(operator)) })
    }

    /// A test of a value in the metadata.
    fn value(&mut self, keys: &[String], test: &Test) -> Result<String> {
        let metadata = self.on.metadata;
        let quoted: Vec<String> = keys.iter().map(|key| quote_literal(key)).collect();
        let (value, text) = match &quoted[..] {
            [key] => (format!("({metadata} -> {key})"), format!("({metadata} ->> {key})")),
            _ => {
                let path = format!("ARRAY[{}]", quoted.join(", "));
                (format!("({metadata} #> {path})"), format!("({metadata} #>> {path})"))
            }
        };
        let of_string = |condition: String| format!("(jsonb_typeof({value}) = 'string' AND {condition})");
        Ok(match test {
            Test::Equal(json) => self.equal(keys, &value, json)?,
            Test::In(values) if values.is_empty() => "false".to_string(),
            Test::In(values) if values.len() <= MAX_LOOKED_UP => {
                let each = values.iter().map(|json| self.equal(keys, &value, json));
                format!("({})", each.collect::<Result<Vec<_>>>()?.join(" OR "))
            }
            Test::In(values) => {
                let all = self.json(&format!("[{}]", values.join(", ")))?;
                format!("{value} IN (SELECT jsonb_array_elements({all}))")
            }
            Test::Exists => format!("{value} IS NOT NULL"),
            Test::HasElements(elements) => match object(keys, elements) {
                Some(object) => format!("{metadata} @> {}", self.json(&object)?),
                None => {
                    format!("(jsonb_typeof({value}) = 'array' AND {value} @> {})", self.json(elements)?)
                }
            },
            Test::Like { pattern, any_case } => {
                let pattern = self.arg(Arg::new(pattern.as_str()));
                of_string(matches(&text, &pattern, *any_case))
            }
            Test::Compare(order, Bound::Number(number)) => {
                let bound = self.arg(Arg::new(number.as_str()));
                let value = match keys {
                    [_] if has_no_dot(keys) => {
                        format!("kb_rag.filter_number({metadata}, {})", quoted.join(""))
                    }
                    _ if has_no_dot(keys) => {
                        format!("kb_rag.filter_number({metadata}, {})", quote_literal(&keys.join(".")))
                    }
                    _ => format!("(CASE jsonb_typeof({value}) WHEN 'number' THEN {text}::numeric END)"),
                };
                format!("{value} {} {bound}::numeric", operator(*order))
            }
            Test::Compare(order, Bound::Text(bound, at)) => {
                let bound = self.arg(Arg::new(bound.as_str()));
                let as_text = of_string(format!("{text} COLLATE \"C\" {} {bound}", operator(*order)));
                match at {
                    None => as_text,
                    Some(at) => {
                        let at = self.time(*at)?;
                        let value = if has_no_dot(keys) {
                            format!("kb_rag.filter_time({metadata}, {})", quote_literal(&keys.join(".")))
                        } else {
                            format!(
                                "kb_rag.iso_time(CASE jsonb_typeof({value}) WHEN 'string' THEN {text} END)"
                            )
                        };
                        // Bytes are in the order of time only if the year comes first, as in 2024-05.
                        format!(
                            "({value} {} {at} OR ({value} IS NULL AND {text} ~ '^[0-9]{{4}}' AND {as_text}))",
                            operator(*order)
                        )
                    }
                }
            }
        })
    }

    /// By containment if that says the same: it uses the index.
    fn equal(&mut self, keys: &[String], value: &str, json: &str) -> Result<String> {
        let is_scalar = !json.starts_with(['{', '[']);
        let metadata = self.on.metadata;
        Ok(match object(keys, json) {
            Some(object) if is_scalar => format!("{metadata} @> {}", self.json(&object)?),
            Some(object) => {
                format!("({metadata} @> {} AND {value} = {})", self.json(&object)?, self.json(json)?)
            }
            None => format!("{value} = {}", self.json(json)?),
        })
    }

    /// A test of a column of the document.
    fn column(&mut self, column: Column, test: &Test) -> Result<String> {
        let (name, is_time) = match column {
            Column::CreatedAt => ("d.created_at", true),
            Column::UpdatedAt => ("d.updated_at", true),
            Column::Source => ("d.source_key", false),
            Column::Title => ("d.title", false),
        };
        let condition = match test {
            Test::Equal(json) => format!("{name} = {}", self.bound_of(json, is_time)?),
            Test::In(values) => {
                let values = values.iter().map(|json| self.bound_of(json, is_time));
                let equal: Vec<String> =
                    values.map(|value| Ok(format!("{name} = {}", value?))).collect::<Result<_>>()?;
                if equal.is_empty() { "false".to_string() } else { format!("({})", equal.join(" OR ")) }
            }
            Test::Compare(order, Bound::Text(_, Some(at))) if is_time => {
                format!("{name} {} {}", operator(*order), self.time(*at)?)
            }
            Test::Compare(order, Bound::Text(bound, _)) => {
                let bound = self.arg(Arg::new(bound.as_str()));
                format!("{name} COLLATE \"C\" {} {bound}", operator(*order))
            }
            Test::Exists => format!("{name} IS NOT NULL"),
            Test::Like { pattern, any_case } => {
                let pattern = self.arg(Arg::new(pattern.as_str()));
                matches(name, &pattern, *any_case)
            }
            Test::Compare(_, Bound::Number(_)) | Test::HasElements(_) => {
                return Err(Error::internal("a test that a column does not have"));
            }
        };
        Ok(match self.on.document {
            None => condition,
            Some(table) => {
                format!("EXISTS (SELECT FROM {table} d WHERE d.id = c.document_id AND {condition})")
            }
        })
    }

    /// A JSON string as a value of a column.
    fn bound_of(&mut self, json: &str, is_time: bool) -> Result<String> {
        let text: String =
            serde_json::from_str(json).map_err(|_| Error::internal("a value that is no string"))?;
        match time::micros(&text) {
            Some(at) if is_time => self.time(at),
            _ => Ok(self.arg(Arg::new(text))),
        }
    }

    fn time(&mut self, micros: i64) -> Result<String> {
        let time = TimestampWithTimeZone::try_from(micros)
            .map_err(|_| Error::internal("a time that timestamptz does not have"))?;
        Ok(self.arg(Arg::new(time)))
    }
}

fn has_no_dot(keys: &[String]) -> bool {
    keys.iter().all(|key| !key.contains('.') && !key.is_empty())
}

fn operator(order: Order) -> &'static str {
    match order {
        Order::Less => "<",
        Order::LessOrEqual => "<=",
        Order::Greater => ">",
        Order::GreaterOrEqual => ">=",
    }
}

fn matches(text: &str, pattern: &str, any_case: bool) -> String {
    if any_case { format!("{text} ILIKE {pattern}") } else { format!("{text} COLLATE \"C\" LIKE {pattern}") }
}

/// The object that metadata contain if they have the value at these keys. None if a key may be the place in an array.
fn object(keys: &[String], json: &str) -> Option<String> {
    let may_be_place = |key: &String| keys.len() > 1 && key.trim_ascii().parse::<i64>().is_ok();
    if keys.iter().any(may_be_place) {
        return None;
    }
    keys.iter().rev().try_fold(json.to_string(), |inner, key| {
        Some(format!("{{{}: {inner}}}", serde_json::to_string(key).ok()?))
    })
}

/// The time of a text in ISO 8601; NULL for any other text.
#[pg_extern(sql = false)]
fn iso_time(text: Option<&str>) -> Option<TimestampWithTimeZone> {
    TimestampWithTimeZone::try_from(time::micros(text?)?).ok()
}

/// The JSON text of the value at a key of metadata, or at keys separated by dots.
fn at(metadata: Option<Jsonb>, key: Option<&str>) -> Option<String> {
    Some(metadata?.at(key?.split('.').collect())?.to_text())
}

/// The number at a key of metadata, or at keys separated by dots; NULL for a value of another type.
#[pg_extern(sql = false)]
fn filter_number(metadata: Option<Jsonb>, key: Option<&str>) -> Option<AnyNumeric> {
    let text = at(metadata, key)?;
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    is_number.then(|| AnyNumeric::try_from(text.as_str()).ok()).flatten()
}

/// The time in ISO 8601 at a key of metadata, or at keys separated by dots; NULL for any other value.
#[pg_extern(sql = false)]
fn filter_time(metadata: Option<Jsonb>, key: Option<&str>) -> Option<TimestampWithTimeZone> {
    let text: String = serde_json::from_str(&at(metadata, key)?).ok()?;
    iso_time(Some(&text))
}
