//! Calls of functions and statements on tables, with generated values.

use super::frame::{Call, Prepared};
use crate::catalog::{Function, Table};
use crate::values::Values;

/// A call of a function: some arguments by position, some by name, and some with a default omitted.
pub fn call_of(function: &Function, values: &mut Values<'_>) -> Call {
    let any_type = values.any_type();
    let mut given: Vec<Given> = Vec::new();
    let required = function.arguments.len() - function.defaults;
    let mut by_name = false;
    for (place, argument) in function.arguments.iter().enumerate() {
        if place >= required && values.random.percent(65) {
            // All arguments after an omitted one must be named.
            by_name = true;
            continue;
        }
        let mut argument = argument.clone();
        if argument.type_name.starts_with("pg_catalog.any") {
            argument.type_name = any_type.to_string();
        }
        by_name |= place > 0 && !argument.name.is_empty() && values.random.percent(20);
        let label = if by_name { format!("\"{}\" => ", argument.name) } else { String::new() };
        given.push(Given { label, value: values.for_argument(&argument), type_name: argument.type_name });
    }
    let written = |list: Vec<String>| statement(function, &list.join(", "));
    let numbered = given.iter().enumerate().map(|(n, one)| format!("{}${}", one.label, n + 1));
    let is_simple = given.iter().all(|one| !one.value.contains("SELECT"));
    Call {
        statement: written(given.iter().map(|one| format!("{}{}", one.label, one.value)).collect()),
        prepared: (is_simple && !function.is_procedure).then(|| Prepared {
            statement: written(numbered.collect()),
            types: given.iter().map(|one| one.type_name.clone()).collect(),
            values: given.iter().map(|one| one.value.clone()).collect(),
        }),
        is_query: !function.is_procedure,
    }
}

/// An argument of a call.
struct Given {
    /// Its name and an arrow, if it is given by name.
    label: String,
    value: String,
    type_name: String,
}

fn statement(function: &Function, arguments: &str) -> String {
    let name = &function.name;
    if function.is_procedure {
        format!("CALL {name}({arguments})")
    } else if function.is_void {
        format!("SELECT {name}({arguments})")
    } else {
        // Every row as text, but only the number of rows.
        format!("SELECT count(r::text) FROM {name}({arguments}) AS r")
    }
}

/// INSERT, UPDATE or DELETE on a table of a base with hostile values in some columns.
pub fn write_of(schema: &str, table: &Table, values: &mut Values<'_>) -> String {
    let columns: Vec<_> = table.columns.iter().filter(|_| values.random.percent(40)).cloned().collect();
    let name = format!("\"{schema}\".\"{}\"", table.name);
    let some = format!("ctid IN (SELECT ctid FROM {name} LIMIT {})", values.random.within(1, 10));
    match values.random.below(10) {
        0 => format!("DELETE FROM {name} WHERE {some}"),
        1..=4 if !columns.is_empty() => {
            let names: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
            let row: Vec<String> = columns.iter().map(|column| values.for_argument(column)).collect();
            format!("INSERT INTO {name} ({}) VALUES ({})", names.join(", "), row.join(", "))
        }
        5 => format!("INSERT INTO {name} SELECT * FROM {name} WHERE {some}"),
        _ => {
            // One column at a time, so that a value is not rejected because of another one.
            let column = values.random.pick(&table.columns).clone();
            let value = values.for_argument(&column);
            format!("UPDATE {name} SET \"{}\" = {value} WHERE {some}", column.name)
        }
    }
}
