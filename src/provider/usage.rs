//! The usage of providers. Rows are only ever added, so that writers do not wait for each other.

use kb_rag_core::model_name::ModelName;
use pgrx::Uuid;

use crate::catalog;
use crate::error::Result;
use crate::postgres::spi::{Access, Arg};

/// Some calls of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage<'a> {
    /// Id and name of the knowledge base they were made for.
    pub knowledge_base: Option<(Uuid, &'a str)>,
    /// As provider/model.
    pub model: &'a str,
    /// Including failed ones.
    pub calls: i64,
    /// Texts that were embedded.
    pub items: i64,
    /// Tokens of these texts, or of what a chat model was asked, as the provider counts them.
    pub tokens: Option<u64>,
    /// Tokens of a chat model's reply.
    pub output_tokens: Option<u64>,
    /// Calls that failed.
    pub errors: i64,
    /// Cost of these tokens, as `RemoteModel::cost` computes it.
    pub cost: Option<f64>,
}

/// Larger numbers are not believed: sums must stay within 64 bits whatever a provider reports.
const MAX_TOKENS: u64 = 1_000_000_000;

/// Whether the model embedded anything, or anything of this base, in the last hour, and since its provider began to fail.
pub fn has_served_lately(model: &ModelName, base: Option<Uuid>) -> Result<bool> {
    let served = catalog::connect(|c| {
        let args = [Arg::new(model.as_str()), Arg::new(model.provider()), Arg::new(base)];
        c.query_one(
            &catalog::with_summaries(include_str!("served_lately.sql")),
            Access::Write,
            &args,
            |row| row.require::<bool>(1),
        )
    })?;
    Ok(served == Some(true))
}

/// Adds a row, in the transaction of the caller.
pub fn record(usage: &Usage) -> Result<()> {
    catalog::connect(|c| {
        let args = [
            Arg::new(usage.knowledge_base.map(|(id, _)| id)),
            Arg::new(usage.knowledge_base.map(|(_, name)| name)),
            Arg::new(usage.model),
            Arg::new(usage.calls),
            Arg::new(usage.items),
            Arg::new(believed(usage.tokens)),
            Arg::new(usage.errors),
            Arg::new(usage.cost),
            Arg::new(believed(usage.output_tokens)),
        ];
        c.execute(include_str!("insert_usage.sql"), &args).map(drop)
    })
}

fn believed(tokens: Option<u64>) -> Option<i64> {
    tokens.map(|tokens| tokens.min(MAX_TOKENS) as i64)
}
