//! The condition of an attached table: which rows have documents.

use std::cell::Cell;

use super::attachment::{Table, damaged};
use super::column::{Column, Use};
use super::options::Options;
use super::table::Candidate;
use super::warned;
use crate::error::{Error, Result};
use crate::postgres::expression::{self, Condition, Given};
use crate::postgres::spi;

thread_local! {
    static UNDER_WAY: Cell<bool> = const { Cell::new(false) };
}

/// The most characters of a condition.
const MAX_CHARACTERS: usize = 10_000;
/// Functions take at most 100 arguments.
const MAX_COLUMNS: usize = 90;

/// Reads the condition that a call of kb_attach gives, and notes it in the options; returns the numbers of its columns.
pub fn enter(text: &str, table: &Candidate, options: &mut Options) -> Result<Vec<i32>> {
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(Error::limit(format!("condition has more than {MAX_CHARACTERS} characters")));
    }
    let condition = Condition::read(text, table.oid, table.owner, |_| None)?;
    if condition.text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(Error::limit(format!(
            "condition has more than {MAX_CHARACTERS} characters once names and types are written out"
        )));
    }
    if condition.columns.len() > MAX_COLUMNS {
        return Err(Error::limit(format!("condition has more than {MAX_COLUMNS} columns")));
    }
    options.condition = Some(condition.text);
    options.condition_types =
        condition.columns.iter().map(|number| table.type_of(*number).to_string()).collect();
    Ok(condition.columns)
}

/// A recorded condition with the names that its columns have now, given with the names that they had.
pub fn renamed(text: &str, table: &Candidate, names: &[(String, String)]) -> Result<String> {
    let known_as = |name: &str| {
        names
            .iter()
            .find(|(_, now)| now == name)
            .map(|(label, _)| label)
            .filter(|label| *label != name)
            .cloned()
    };
    Ok(Condition::read(text, table.oid, table.owner, known_as)?.text)
}

/// A column whose type is another one than when the condition was read: it may mean something else now, or nothing.
pub fn altered(table: &Table) -> Option<&Column> {
    let columns = table.columns.iter().filter(|column| column.used_as == Use::Condition);
    let known = &table.options.condition_types;
    columns.zip(known).find(|(column, known)| column.plain_type != **known).map(|(column, _)| column)
}

/// The SQL that evaluates the condition for a row, whose columns are given with their labels; `key` is the text of its key.
pub fn holds(text: &str, key: &str, columns: &[(&str, String)]) -> String {
    // The function takes at least one value.
    let none = [("no_column", "true".to_string())];
    let columns = if columns.is_empty() { &none } else { columns };
    let labels: Vec<String> = columns.iter().map(|(label, _)| spi::quote_literal(label)).collect();
    let values: String = columns.iter().map(|(_, value)| format!(", {value}")).collect();
    format!(
        "kb_rag.condition_holds({}::text, ARRAY[{}]::text[], {key}{values})",
        spi::quote_literal(text),
        labels.join(", ")
    )
}

/// The evaluation of a condition in progress.
struct UnderWay;

impl UnderWay {
    /// 0A000 in an evaluation: a function in a condition that reads the table again would never end.
    fn begin() -> Result<UnderWay> {
        if UNDER_WAY.replace(true) {
            return Err(Error::unsupported("a condition must not evaluate another condition"));
        }
        Ok(UnderWay)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.set(false);
    }
}

/// Whether a condition holds for a row: false for NULL, if there is no row, and, with a warning, if an error is raised.
pub fn evaluate(condition: &str, names: &[String], key: Option<&str>, values: Vec<Given>) -> Result<bool> {
    let Some(key) = key else { return Ok(false) };
    if names.len() != values.len() {
        return Err(damaged("the condition of an attached table has other columns than are recorded"));
    }
    let _under_way = UnderWay::begin()?;
    match expression::evaluate(condition, names, values) {
        Ok(holds) => Ok(holds == Some(true)),
        Err(error) => {
            if warned::is_new(key) {
                error
                    .preceded_by(&format!("the condition {condition} fails for row \"{key}\""))
                    .warn("it has no document");
            }
            Ok(false)
        }
    }
}
