//! What was asked of providers. Rows are only ever added, so that writers do not wait for each other.

use pgrx::Uuid;

use crate::error::Result;
use crate::role;
use crate::spi::{self, Arg};

/// Some calls of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage<'a> {
    /// Id and name of the knowledge base they were made for.
    pub knowledge_base: Option<(Uuid, &'a str)>,
    /// As provider/model.
    pub model: &'a str,
    /// Failed ones too.
    pub calls: i64,
    /// Texts that were embedded.
    pub items: i64,
    /// Of these texts, as the provider counts them.
    pub tokens: Option<u64>,
    /// Calls that failed.
    pub errors: i64,
    /// Of these tokens, as `RemoteModel::cost` has it.
    pub cost: Option<f64>,
}

/// Adds a row, in the transaction of the caller.
pub fn record(usage: &Usage) -> Result<()> {
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            let args = [
                Arg::new(usage.knowledge_base.map(|(id, _)| id)),
                Arg::new(usage.knowledge_base.map(|(_, name)| name)),
                Arg::new(usage.model),
                Arg::new(usage.calls),
                Arg::new(usage.items),
                Arg::new(usage.tokens.and_then(|tokens| i64::try_from(tokens).ok())),
                Arg::new(usage.errors),
                Arg::new(usage.cost),
            ];
            c.execute(include_str!("insert_usage.sql"), &args).map(drop)
        })
    })
}
