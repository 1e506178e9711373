//! The alterations: the paragraphs of two files, repeated for the tables and columns of a base.

use postgres::Client;

use crate::catalog::{self, Argument, Table};
use crate::random::Random;
use crate::values::Values;

const OF_OWNER: &str = include_str!("owner.sql");
const OF_SUPERUSER: &str = include_str!("superuser.sql");

/// A change to a base or to the catalog.
pub struct Alteration {
    /// The statements, with {S}, {B} and {A} as placeholders for the base.
    pub sql: String,
    /// Whether only a superuser can make it.
    pub by_superuser: bool,
    /// Whether it may break other bases too.
    pub of_everything: bool,
}

/// All alterations in the order of the seed: one of each paragraph, then a second one of each, and so on.
pub fn all(client: &mut Client, random: &mut Random) -> Vec<Alteration> {
    let of_base = catalog::tables(client, "kb_inline");
    let catalog: Vec<Table> =
        catalog::tables(client, "kb_rag").into_iter().filter(|table| condition(table).is_some()).collect();
    let mut rounds: Vec<Vec<Alteration>> = Vec::new();
    for (paragraphs, by_superuser) in [(OF_OWNER, false), (OF_SUPERUSER, true)] {
        for paragraph in paragraphs.split("\n\n").skip(1) {
            let (sql, of_everything) = match paragraph.strip_prefix("-- everything\n") {
                Some(sql) => (sql, true),
                None => (paragraph, false),
            };
            let tables = if sql.contains("{catalog}") { &catalog } else { &of_base };
            let mut variants = repeated(sql.trim(), tables, random);
            random.shuffle(&mut variants);
            for (round, sql) in variants.into_iter().enumerate() {
                rounds.resize_with(rounds.len().max(round + 1), Vec::new);
                rounds[round].push(Alteration { sql, by_superuser, of_everything });
            }
        }
    }
    rounds.iter_mut().for_each(|round| random.shuffle(round));
    rounds.into_iter().flatten().collect()
}

/// The paragraph, repeated for every table and column that it asks for.
fn repeated(sql: &str, tables: &[Table], random: &mut Random) -> Vec<String> {
    let sql = sql.replace("{its_base}", ITS_BASE);
    if !sql.contains("{table}") && !sql.contains("{catalog}") {
        return vec![sql];
    }
    let mut result = Vec::new();
    for table in tables {
        let sql = sql
            .replace("{table}", &table.name)
            .replace("{catalog}", &table.name)
            .replace("{its}", condition(table).unwrap_or_default());
        if sql.contains("{column}") {
            result.extend(table.columns.iter().map(|column| of_column(&sql, column, random)));
        } else {
            result.push(sql);
        }
    }
    result
}

fn of_column(sql: &str, column: &Argument, random: &mut Random) -> String {
    let value = Values { random, bases: &["inline", "neighbor"] }.for_argument(column);
    sql.replace("{column}", &format!("\"{}\"", column.name)).replace("{hostile}", &value)
}

const ITS_BASE: &str = "knowledge_base_id = (SELECT id FROM kb_rag.knowledge_base WHERE name = '{B}')";

/// The condition for the rows of a catalog table that belong to one base; None if there are none.
fn condition(table: &Table) -> Option<&'static str> {
    if table.name == "knowledge_base" {
        return Some("name = '{B}'");
    }
    if table.name == "provider" {
        return Some("name = 'mock'");
    }
    table.columns.iter().any(|column| column.name == "knowledge_base_id").then_some(ITS_BASE)
}
