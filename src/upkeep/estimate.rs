//! kb_estimate: what embedding a base would take, before anything is spent.

use kb_rag_core::chunk::Before;
use kb_rag_core::model_name::ModelName;
use kb_rag_core::provider::{Input, batch};

use crate::base::{self, KnowledgeBase};
use crate::chunking;
use crate::error::Result;
use crate::ingest;
use crate::model;
use crate::postgres::spi::{self, Access};

/// Chunks read at a time.
const FETCHED: i64 = 512;

/// What it would take, approximately.
pub struct Estimate {
    pub model: String,
    pub chunks: i64,
    pub tokens: i64,
    /// Calls to a provider; none for a local model.
    pub calls: i64,
    /// None where the price is not known.
    pub cost: Option<f64>,
}

/// What it would take to embed the chunks of a base: with its own model those without a vector, with another model all. With
/// `outdated`, documents that an earlier version of the chunker cut have the chunks that today's makes.
pub fn estimate(knowledge_base: &str, model: Option<&str>, outdated: bool) -> Result<Estimate> {
    let base = base::by_name(knowledge_base, Access::Read)?;
    let own = &base.settings.space.model;
    let model = model.map_or_else(|| own.clone(), ModelName::new);
    let provider = model::provider_of(&model)?;
    if provider.is_none() {
        model::resolve(&model)?;
    }
    let provider = match provider {
        Some(provider) => Some((provider.embedding()?, provider)),
        None => None,
    };
    if let Some((kind, provider)) = provider.as_ref().filter(|_| model != *own) {
        model::remark_of_unknown(&model, provider, *kind);
    }
    let facts = provider.as_ref().map(|(kind, _)| kind.facts(model.model())).unwrap_or_default();
    let before = batch::estimate_tokens(facts.prefix(Input::Document));
    let (mut lengths, mut tokens) = (Vec::new(), 0u64);
    let mut add = |text: &str| {
        tokens += before + batch::estimate_tokens(text);
        lengths.push(text.len());
    };
    base.read(|| {
        each_text(&base, model == *own, outdated, &mut add)?;
        if outdated { each_cut_text(&base, model == *own, &mut add) } else { Ok(()) }
    })?;
    let (calls, cost) = match provider {
        Some((kind, provider)) => {
            let price = provider.price_of(kind, model.model());
            let calls = batch::split(&lengths, &provider.limits(kind, model.model())).len();
            (calls as i64, price.map(|price| price * tokens as f64 / 1e6))
        }
        None => (0, Some(0.0)),
    };
    Ok(Estimate {
        model: model.to_string(),
        chunks: lengths.len() as i64,
        tokens: i64::try_from(tokens).unwrap_or(i64::MAX),
        calls,
        cost,
    })
}

/// The same for the chunks that documents would have if today's version of the chunker cut them, which an earlier one did.
fn each_cut_text(base: &KnowledgeBase, missing: bool, work: &mut dyn FnMut(&str)) -> Result<()> {
    let schema = base.quoted_schema();
    let model = model::tokenizer_of(&base.settings.space.model)?;
    let sql = base.versions()?.render(include_str!("cut_before.sql"), &schema);
    spi::connect(|c| {
        ingest::in_groups(c, &sql, |ids| {
            ingest::each_cut(base, &model, &schema, &ids, !missing, &mut |title, before, content| {
                work(&chunking::text_without_limit(title, before, content));
            })
        })
    })
}

/// Hands the text that is embedded for each chunk to `work`; with `missing`, only for chunks without a vector; without those of
/// documents that are to be cut again if `outdated`.
fn each_text(base: &KnowledgeBase, missing: bool, outdated: bool, work: &mut dyn FnMut(&str)) -> Result<()> {
    let schema = base.quoted_schema();
    let without = spi::render(include_str!("without_vector.sql").trim(), &[("schema", &schema)]);
    let mut conditions = Vec::new();
    if missing {
        conditions.push(without);
    }
    if outdated {
        conditions.push(format!("NOT {}", base.versions()?.is_cut_before()));
    }
    let condition = if conditions.is_empty() { "true".to_string() } else { conditions.join(" AND ") };
    let sql = spi::render(
        include_str!("estimated_texts.sql"),
        &[("schema", &schema), ("condition", &condition), ("context", base.context())],
    );
    spi::connect(|c| {
        let cursor = c.cursor(&sql, &[])?;
        loop {
            let rows = cursor.fetch(FETCHED, |row| {
                let [title, heading, context]: [Option<String>; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
                let before = Before { heading: heading.as_deref(), context: context.as_deref() };
                work(&chunking::text_without_limit(title.as_deref(), before, &row.require::<String>(4)?));
                Ok(())
            })?;
            if rows.is_empty() {
                break;
            }
            crate::postgres::interrupt::check_for_interrupts();
        }
        cursor.close();
        Ok(())
    })
}
