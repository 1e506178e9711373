//! kb_estimate: what embedding a base would take, before anything is spent.

use kb_rag_core::chunk::Before;
use kb_rag_core::model_name::ModelName;
use kb_rag_core::provider::{Input, batch, tokens};

use super::summaries;
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
    /// Documents, where they are to be summarized.
    pub chunks: i64,
    pub tokens: i64,
    /// Calls to a provider; none for a local model.
    pub calls: i64,
    /// None where the price is not known.
    pub cost: Option<f64>,
}

/// What it would take to embed the chunks of a base: with its own model those without a vector, with another model all, as documents are cut
/// for it. With `outdated`, documents that an earlier version of the chunker cut have the chunks that today's makes.
/// With `summaries`, what this chat model would take instead.
pub fn estimate(
    knowledge_base: &str,
    model: Option<&str>,
    outdated: bool,
    summaries: Option<&str>,
) -> Result<Estimate> {
    if let Some(chat) = summaries {
        return summaries::estimate_of(knowledge_base, chat, model.is_some() || outdated);
    }
    let base = base::by_name(knowledge_base, Access::Read)?;
    let own = &base.settings.space.model;
    let model = model.map_or_else(|| own.clone(), ModelName::new);
    let provider = model::provider_of(&model)?;
    let local = if provider.is_none() { Some(model::resolve(&model)?) } else { None };
    let provider = match provider {
        Some(provider) => Some((provider.embedding()?, provider)),
        None => None,
    };
    if let Some((kind, provider)) = provider.as_ref().filter(|_| model != *own) {
        model::remark_of_unknown(&model, provider, *kind);
    }
    let facts = provider.as_ref().map(|(kind, _)| kind.facts(model.model())).unwrap_or_default();
    let before = tokens::estimate_tokens(facts.prefix(Input::Document));
    let (mut lengths, mut tokens) = (Vec::new(), 0u64);
    let mut add = |title: Option<&str>, texts: Before, content: &str| {
        let counted = local.as_ref().and_then(|local| {
            chunking::count_tokens(local, &chunking::embedded_text(local, title, texts, content))
        });
        let text = chunking::text_without_limit(title, texts, content);
        tokens += match counted {
            Some(counted) => u64::try_from(counted).unwrap_or_default(),
            None => before + tokens::estimate_tokens(&text),
        };
        lengths.push(text.len());
    };
    base.read(|| {
        if model != *own {
            each_text(&base, "d.imported", &mut add)?;
            return each_cut_text(&base, &model, "NOT d.imported", true, &mut add);
        }
        let schema = base.quoted_schema();
        let missing = spi::render(include_str!("without_vector.sql").trim(), &[("schema", &schema)]);
        if !outdated {
            return each_text(&base, &missing, &mut add);
        }
        let cut_before = base.versions()?.is_cut_before();
        each_text(&base, &format!("{missing} AND NOT {cut_before}"), &mut add)?;
        each_cut_text(&base, &model, &cut_before, false, &mut add)
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

/// Takes title, what else is embedded before the text, and content of a chunk.
type Take<'a> = dyn FnMut(Option<&str>, Before, &str) + 'a;

/// Hands each chunk that documents `d` have when today's version of the chunker cuts them for a model to `take`; without `all`, only those that have
/// no vector yet.
fn each_cut_text(
    base: &KnowledgeBase,
    model: &ModelName,
    condition: &str,
    all: bool,
    take: &mut Take,
) -> Result<()> {
    let schema = base.quoted_schema();
    let mut cut = base.clone();
    cut.settings.space.model = model.clone();
    let model = model::tokenizer_of(model)?;
    let sql =
        spi::render(include_str!("cut_documents.sql"), &[("schema", &schema), ("condition", condition)]);
    spi::connect(|c| {
        ingest::in_groups(c, &sql, |ids| ingest::each_cut(&cut, &model, &schema, &ids, all, take))
    })
}

/// Hands each chunk `c` of a document `d` for which a condition holds to `take`.
fn each_text(base: &KnowledgeBase, condition: &str, take: &mut Take) -> Result<()> {
    let schema = base.quoted_schema();
    let sql = spi::render(
        include_str!("estimated_texts.sql"),
        &[("schema", &schema), ("condition", condition), ("context", base.context())],
    );
    spi::connect(|c| {
        let cursor = c.cursor(&sql, &[])?;
        loop {
            let rows = cursor.fetch(FETCHED, |row| {
                let [title, heading, context]: [Option<String>; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
                let before = Before { heading: heading.as_deref(), context: context.as_deref() };
                take(title.as_deref(), before, &row.require::<String>(4)?);
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
