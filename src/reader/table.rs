//! Type `pgvector`: a table with a vector and a JSONB document in each row.
//!
//! What reads the table runs under the caller's search_path, on which functions of a view may rely, so every name in it is
//! qualified. What reads PostgreSQL's catalog does not.

use std::ffi::{CString, NulError};
use std::time::Instant;

use kb_rag_core::manifest::table::{self, Holds, Index};
use kb_rag_core::manifest::{Identifier, Pgvector as Block, statements};
use kb_rag_core::model_name::ModelName;
use kb_rag_core::search::{READ, Thresholds};
use pgrx::pg_sys;

use super::MAX_BYTES;
use super::columns::{Described, describe, is_secured};
use crate::agent::{self, Outcome, Passage};
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::model::{self, InputType, Model};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::vector::Pgvector;
use crate::search::{self, Covered};

/// So many of the nearest texts tell whether the model reads them, each by so many characters.
const READ_PASSAGES: usize = 10;
const READ_CHARACTERS: usize = 200;

/// A table that is searched.
pub struct Collection {
    relation: pg_sys::Oid,
    /// As pg_class.relkind has it.
    kind: String,
    /// Qualified and quoted.
    name: String,
    pgvector: Pgvector,
    /// The column of the vectors, quoted.
    embedding: String,
    is_half: bool,
    /// That the column declares.
    pub dimensions: Option<i32>,
    /// The column of the documents, quoted.
    metadata: String,
    index: Index,
}

/// The documents nearest to the query of a conversation.
pub fn retrieve(block: &Block, messages: Option<&Jsonb>, outcome: &mut Outcome) -> Result<Vec<Passage>> {
    let messages = agent::messages_of(messages)?;
    // Before anything is paid for.
    let collection = Collection::open(block)?;
    collection.note_in(outcome)?;
    let (model, dimensions) = embedding_model(block)?;
    let instructions = || {
        let prompt = block.prompt.as_ref().map(agent::referred_prompt).transpose()?;
        Ok(prompt.map(|prompt| prompt.content))
    };
    let query = outcome.rewritten(agent::query_of(&messages, None, instructions)?.shortened());
    let began = Instant::now();
    let vector = model.embed(&query, dimensions, InputType::Query)?;
    outcome.embedding = began.elapsed();
    let passages = collection.nearest(block, &vector)?;
    let found = passages.len();
    let passages: Vec<Passage> = passages.into_iter().flatten().collect();
    if found > 0 && passages.is_empty() {
        let nothing = table::no_text(found, &block.content_key);
        return Err(Error::not_ready(nothing.message).hint(nothing.hint));
    }
    collection.answering(passages, block)
}

/// The model that embeds the query, and its dimensions. 22023 if it cannot give as many as the block says.
pub fn embedding_model(block: &Block) -> Result<(Model, i32)> {
    let model = model::resolve(&ModelName::new(block.embedding_model.as_str()))?;
    let dimensions = model.dimensions(Some(block.embedding_dimensions))?;
    Ok((model, dimensions))
}

fn written(name: &[Identifier], quote: impl Fn(&Identifier) -> String) -> String {
    name.iter().map(quote).collect::<Vec<_>>().join(".")
}

impl Collection {
    /// Finds the table by the caller's search_path. 42P01 if there is none, 42501 if the caller may not read it, 22023 if its
    /// columns do not tell which holds the vectors or the documents, 22000 if its vectors have other dimensions than the block
    /// says.
    pub fn open(block: &Block) -> Result<Collection> {
        let exact = written(&block.collection, |part| spi::quote_identifier(&part.name));
        let folded = written(&block.collection, |part| match part.is_quoted {
            true => spi::quote_identifier(&part.name),
            false => spi::quote_identifier(&part.name.to_ascii_lowercase()),
        });
        let pgvector = Pgvector::find()?;
        let relation = spi::connect(|c| {
            let args = [Arg::new(exact.as_str()), Arg::new(folded.as_str())];
            c.query_one(statements::FIND_TABLE, Access::Write, &args, |row| row.get::<pg_sys::Oid>(1))
        })?;
        let missing = || {
            let name = written(&block.collection, |part| part.name.clone());
            Error::missing_table(format!("collection \"{name}\" does not exist"))
                .hint(
                    "Name the schema too if it is not in the search_path. kb_expose makes a view of a knowledge base. kb_retrieve reads \
                     this database alone; the program kb-rag (kb-rag retrieve) reads the one at hostname.",
                )
        };
        let relation = relation.flatten().ok_or_else(missing)?;
        let found = guc::with_settings(&[], || describe(relation, &pgvector))?;
        let Described { kind, name, columns } = found.ok_or_else(missing)?;
        if !table::is_readable(&kind) {
            return Err(Error::invalid(format!("collection {name} is not a table or view")));
        }
        let (embedding, metadata) = match table::columns(&columns, block.embedding_dimensions, &name) {
            Ok(found) => found,
            Err(unfit) => {
                let errors = unfit.into_iter().map(Error::from).collect();
                return Err(
                    Error::of_several(errors).unwrap_or_else(|| Error::internal("no column is wrong"))
                );
            }
        };
        if let Some(hidden) = [embedding, metadata].into_iter().find(|column| !column.may_read) {
            return Err(Error::denied(format!("permission denied for column \"{}\" of {name}", hidden.name))
                .hint(format!("The owner of the table can grant it: GRANT SELECT ON {name} TO role.")));
        }
        let collection = Collection {
            is_half: embedding.holds == Holds::HalfVectors,
            dimensions: embedding.dimensions,
            index: embedding.index(&kind),
            embedding: spi::quote_identifier(&embedding.name),
            metadata: spi::quote_identifier(&metadata.name),
            relation,
            kind,
            name,
            pgvector,
        };
        if let Some(dimensions) = collection.dimensions {
            collection.check_dimensions(block, dimensions)?;
        }
        Ok(collection)
    }

    fn check_dimensions(&self, block: &Block, found: i32) -> Result<()> {
        if found == block.embedding_dimensions {
            return Ok(());
        }
        let (message, hint) = table::other_dimensions(block.embedding_dimensions, found, &self.name);
        Err(Error::bad_vector(message).hint(hint))
    }

    /// What the rows and the base of the table show: as [`look_at_rows`](Collection::look_at_rows), and 22023 if the table is the view
    /// of a base whose vectors are of another model.
    pub fn check(&self, block: &Block) -> Result<Option<bool>> {
        let other = |base: &KnowledgeBase| base.settings.space.model.as_str() != block.embedding_model;
        if let Some(base) = self.bases()?.iter().find(|base| other(base)) {
            let model = base.settings.space.model.as_str();
            return Err(Error::invalid(format!(
                "embedding_model is \"{}\", but the vectors of {} are of \"{model}\"",
                block.embedding_model, self.name
            ))
            .hint(format!("Set embedding_model to \"{model}\".")));
        }
        self.look_at_rows(block)
    }

    /// The base whose view this is, as kb_expose made it.
    fn bases(&self) -> Result<Vec<KnowledgeBase>> {
        let schemas: Vec<String> = guc::with_settings(&[], || {
            spi::connect(|c| {
                let args = [Arg::new(self.relation)];
                let sql = include_str!("schemas_of_view.sql");
                c.query(sql, Access::Write, Planning::Auto, &args, |row| row.require(1))
            })
        })?;
        let mut bases = base::readable()?;
        bases.retain(|base| base.has_schema() && schemas.contains(&base.quoted_schema()));
        let mut own = Vec::new();
        for base in bases {
            if base.exposed()?.iter().any(|view| view.oid == self.relation) {
                own.push(base);
            }
        }
        Ok(own)
    }

    /// Notes which base the table is of. Rows of other tables that another user of the same role may not see are kept out of the log,
    /// as they are for bases.
    fn note_in(&self, outcome: &mut Outcome) -> Result<()> {
        let mut is_of_base = false;
        outcome.covers(|| {
            let bases = self.bases()?;
            is_of_base = !bases.is_empty();
            Ok(bases.iter().map(Covered::from).collect())
        })?;
        // What these show may depend on anything.
        let may_hide = table::may_hide(&self.kind) || guc::with_settings(&[], || is_secured(self.relation))?;
        if may_hide && !is_of_base {
            outcome.keep_confidential();
        }
        Ok(())
    }

    /// What the rows of the table show: 22000 if their vectors have other dimensions than the block says; whether any of the first
    /// rows has a text under the block's key, None without rows.
    fn look_at_rows(&self, block: &Block) -> Result<Option<bool>> {
        let sql = self.render(statements::SAMPLE, &[("filter", "")]);
        let sample = spi::connect(|c| {
            c.query_one(&sql, Access::Write, &[Arg::new(block.content_key.as_str())], |row| {
                Ok(([row.get::<i32>(1)?, row.get(2)?], row.require::<i64>(3)?, row.require::<i64>(4)?))
            })
        })?;
        let Some((dimensions, rows, with_key)) = sample else { return Ok(None) };
        for found in dimensions.into_iter().flatten() {
            self.check_dimensions(block, found)?;
        }
        Ok((rows > 0).then_some(with_key > 0))
    }

    fn render(&self, template: &str, more: &[(&str, &str)]) -> String {
        let own = [
            ("table", self.name.as_str()),
            ("embedding", &self.embedding),
            ("metadata", &self.metadata),
            ("vector", &self.pgvector.schema),
        ];
        spi::render(template, &[&own, more].concat())
    }

    /// The nearest rows that pass the filter, never fewer than exist: where an approximate index gives fewer, every vector is
    /// compared. None for a row without a text.
    fn nearest(&self, block: &Block, vector: &[f32]) -> Result<Vec<Option<Passage>>> {
        if self.index != Index::None {
            let settings = self.index.settings(block.top_k);
            let texts =
                settings.into_iter().map(|(name, value)| Ok((CString::new(name)?, CString::new(value)?)));
            let settings: Vec<(CString, CString)> = texts
                .collect::<Result<_, NulError>>()
                .map_err(|_| Error::internal("a setting with a NUL byte"))?;
            let settings: Vec<_> =
                settings.iter().map(|(name, value)| (name.as_c_str(), value.as_c_str())).collect();
            let found = guc::with_only(&settings, || self.run(block, vector, ""))?;
            if found.len() as i64 >= block.top_k {
                return Ok(found);
            }
        }
        self.run(block, vector, statements::EXACT)
    }

    fn run(&self, block: &Block, vector: &[f32], exact: &str) -> Result<Vec<Option<Passage>>> {
        let query = match self.is_half {
            true => format!("$1::{}.halfvec({})", self.pgvector.schema, vector.len()),
            false => "$1".to_string(),
        };
        let filter = match block.metadata_filter.is_empty() {
            true => String::new(),
            false => format!(" AND t.{}{}$4", self.metadata, statements::CONTAINS),
        };
        let parts = [("query", query.as_str()), ("filter", &filter), ("exact", exact)];
        let sql = self.render(statements::NEAREST, &parts);
        let (mut bytes, mut rows) = (0, Vec::new());
        spi::connect(|c| {
            let mut args =
                vec![self.pgvector.arg(vector)?, Arg::new(block.content_key.as_str()), Arg::new(block.top_k)];
            if !block.metadata_filter.is_empty() {
                args.push(Arg::new(Jsonb::from_value(&block.metadata_filter)?));
            }
            c.stream(&sql, Access::Write, Planning::Custom, &args, |row| {
                let text: Option<String> = row.get(1)?;
                bytes += text.as_ref().map_or(0, String::len);
                if bytes > MAX_BYTES {
                    return Err(Error::limit(format!(
                        "the documents found have more than {MAX_BYTES} bytes"
                    ))
                    .hint("Use a smaller top_k, or smaller documents."));
                }
                rows.push((row.require::<f64>(2)?, text.filter(|text| !text.trim().is_empty())));
                Ok(())
            })
        })?;
        table::nearest_first(&mut rows);
        let passage = |(distance, text): (f64, Option<String>)| {
            let similarity = Some(1.0 - distance).filter(|similarity| similarity.is_finite());
            text.map(|text| Passage { text, similarity })
        };
        Ok(rows.into_iter().map(passage).collect())
    }

    /// What is left of the passages, best first: none behind a closed gate, and of the others those similar enough. All of them where
    /// the model does not read the texts.
    fn answering(&self, mut passages: Vec<Passage>, block: &Block) -> Result<Vec<Passage>> {
        let Some(best) = passages.iter().find_map(|passage| passage.similarity) else { return Ok(passages) };
        let thresholds = self.thresholds(block)?;
        let starts = || {
            let start = |passage: &Passage| passage.text.chars().take(READ_CHARACTERS).collect();
            Ok(passages.iter().take(READ_PASSAGES).map(start).collect())
        };
        let is_unlimited = thresholds.gate.is_none() && thresholds.filter.is_none();
        if is_unlimited
            || search::legibility_of(&ModelName::new(block.embedding_model.as_str()), starts)? < READ
        {
            return Ok(passages);
        }
        passages.retain(|passage| passage.similarity.is_none_or(|found| thresholds.pass(found, best)));
        Ok(passages)
    }

    /// The thresholds of the base whose view this is, else those of the model. There are none for a model that was not measured.
    fn thresholds(&self, block: &Block) -> Result<Thresholds> {
        let own = self.bases()?.first().map(|base| Thresholds {
            gate: base.settings.answer_threshold,
            filter: base.settings.match_threshold,
            exact: None,
        });
        let of_model = model::thresholds(&ModelName::new(block.embedding_model.as_str()));
        Ok(own.unwrap_or_default().or(of_model.unwrap_or_default()))
    }
}
