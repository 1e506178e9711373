//! PostgreSQL's own ranking functions: they know nothing of how rare a word is.

use pgrx::Uuid;

use super::query::{Query, any_of};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::search::Search;
use crate::search::filter::Filter;
use crate::spi::{self, Access, Arg, Planning};

/// Weights of the labels D, C, B, A. PostgreSQL's default weight of a word of the text is 0.1; a word in the title or the
/// heading counts as many times that as the base says.
fn weights(base: &KnowledgeBase) -> Vec<f32> {
    [1.0, 1.0, base.settings.ranking.heading_weight, base.settings.ranking.title_weight]
        .map(|weight| weight as f32 / 10.0)
        .to_vec()
}

/// The best `depth` chunks by `function`, with normalisation 1.
pub fn arm(
    search: &Search,
    base: &KnowledgeBase,
    query: &Query,
    function: &str,
    depth: i64,
) -> Result<Vec<(Uuid, f64)>> {
    let schema = base.quoted_schema();
    let mut args = vec![Arg::new(any_of(query.lexemes.iter().map(String::as_str)))];
    args.push(Arg::new(weights(base)));
    let filter = Filter::new(search.request, base)?.with_query(query);
    let conditions = filter.conditions(&schema, &mut args);
    args.push(Arg::new(depth));
    let limit = format!("${}", args.len());
    let sql = spi::render(
        include_str!("ts_rank.sql"),
        &[
            ("schema", &schema),
            ("lexemes", filter.lexemes()),
            ("function", function),
            ("conditions", &conditions),
            ("limit", &limit),
        ],
    );
    search
        .connection
        .query(&sql, Access::Read, Planning::Custom, &args, |row| Ok((row.require(1)?, row.require(2)?)))
}

/// The scores of these chunks of a base; 0 for those without a word of the query.
pub fn scores(
    search: &Search,
    base: &KnowledgeBase,
    query: &Query,
    function: &str,
    chunks: Vec<Uuid>,
) -> Result<Vec<(Uuid, f64)>> {
    let args = [
        Arg::new(any_of(query.lexemes.iter().map(String::as_str))),
        Arg::new(weights(base)),
        Arg::new(chunks),
    ];
    let sql = spi::render(
        include_str!("ts_rank_of.sql"),
        &[("schema", &base.quoted_schema()), ("function", function)],
    );
    search
        .connection
        .query(&sql, Access::Read, Planning::Generic, &args, |row| Ok((row.require(1)?, row.require(2)?)))
}
