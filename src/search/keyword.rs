//! The keyword arm: an OR of the query's lexemes, ranked by ts_rank with normalisation 1.

use pgrx::Uuid;

use super::Search;
use super::filter::Filter;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::spi::{self, Access, Arg, Planning};

/// The best `depth` chunks of a base by ts_rank. Empty when the query has no lexeme, as one of stop words only.
pub fn arm(search: &Search, base: &KnowledgeBase, depth: i64) -> Result<Vec<(Uuid, f64)>> {
    let Some(lexemes) = lexemes(search, base)? else {
        return Ok(Vec::new());
    };
    base.read(|| {
        let schema = base.quoted_schema();
        let mut args = vec![Arg::new(lexemes)];
        let conditions = Filter::new(search.request, base)?.conditions(&schema, &mut args);
        args.push(Arg::new(depth));
        let limit = format!("${}", args.len());
        let sql = spi::render(
            include_str!("keyword.sql"),
            &[("schema", &schema), ("conditions", &conditions), ("limit", &limit)],
        );
        search
            .connection
            .query(&sql, Access::Read, Planning::Custom, &args, |row| Ok((row.require(1)?, row.require(2)?)))
    })
}

/// The lexemes of the query joined by OR, in the text form of a tsquery. None when there is no lexeme.
fn lexemes(search: &Search, base: &KnowledgeBase) -> Result<Option<String>> {
    let args = [Arg::new(base.text_config.as_str()), Arg::new(search.request.query)];
    let found = search
        .connection
        .query_one(include_str!("lexemes.sql"), Access::Read, &args, |row| row.get::<String>(1))?;
    Ok(found.flatten())
}
