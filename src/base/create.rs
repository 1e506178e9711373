//! Creating a knowledge base: a catalogue row, a schema, its tables and triggers.

use std::ffi::CStr;

use kb_rag_core::slug;
use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};

use super::{KnowledgeBase, MAX_INDEXED_DIMENSIONS, Ranking, find};
use crate::chunking;
use crate::error::{Error, Result};
use crate::model::{self, Model};
use crate::role;
use crate::search::Ranker;
use crate::spi::{self, Access, Arg};
use crate::uuid;
use crate::vector::Pgvector;

/// Longer names are 54000.
const MAX_NAME_CHARACTERS: usize = 200;

/// What kb_create was asked for, every argument present but not yet checked.
pub struct Request<'a> {
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub model: Option<&'a str>,
    pub dimensions: Option<i32>,
    pub chunk_size: i32,
    pub chunk_overlap: i32,
    pub chunk_unit: &'a str,
    pub chunk_strategy: &'a str,
    pub text_config: Option<pg_sys::Oid>,
    pub ranker: &'a str,
    pub index_method: &'a str,
    pub embed: &'a str,
    pub ranking: Ranking,
}

/// Creates the base and returns it. Nothing is left behind on an error: it is all one transaction.
pub fn create(request: &Request) -> Result<KnowledgeBase> {
    check_name(request.name)?;
    chunking::check_unit(request.chunk_unit)?;
    chunking::settings(request.chunk_size, request.chunk_overlap, request.chunk_strategy, None, None)?;
    Ranker::from_name(request.ranker)?;
    check_ranking(&request.ranking)?;
    choose("index_method", request.index_method, &["auto", "hnsw", "none"], &["ivfflat"])?;
    choose("embed", request.embed, &["auto", "inline"], &["queued", "off"])?;
    let model = model::resolve(request.model.unwrap_or(model::DEFAULT))?;
    let dimensions = model.dimensions(request.dimensions)?;
    if request.index_method == "hnsw" && dimensions > MAX_INDEXED_DIMENSIONS {
        return Err(Error::limit(format!("an HNSW index cannot hold {dimensions} dimensions")).hint(format!(
            "At most {MAX_INDEXED_DIMENSIONS} are indexed; use index_method => 'auto', which searches exactly above that."
        )));
    }
    if find(request.name)?.is_some() {
        return Err(exists(request.name));
    }

    let base_id = insert_row(request, &model, dimensions)?;
    let base = super::by_id(base_id)?
        .ok_or_else(|| Error::internal("the new knowledge base is not in the catalogue"))?;
    create_objects(&base)?;
    let base = super::by_name(&base.name, Access::Write)?;
    notice!("created knowledge base \"{}\" in schema \"{}\"", base.name, base.schema);
    Ok(base)
}

fn exists(name: &str) -> Error {
    Error::exists(format!("knowledge base \"{name}\" already exists"))
        .hint("Choose another name, or remove the old one with kb_drop.")
}

fn check_name(name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Error::invalid("the name of a knowledge base must not be empty"));
    }
    if name.chars().count() > MAX_NAME_CHARACTERS {
        return Err(Error::limit("the name of the knowledge base is too long")
            .hint(format!("Use at most {MAX_NAME_CHARACTERS} characters.")));
    }
    Ok(())
}

/// 22023 for a number out of range.
fn check_ranking(ranking: &Ranking) -> Result<()> {
    for (name, value, most) in [
        ("bm25_k1", ranking.bm25_k1, 10),
        ("bm25_b", ranking.bm25_b, 1),
        ("title_weight", ranking.title_weight, 10),
        ("heading_weight", ranking.heading_weight, 10),
    ] {
        if !(0.0..=f64::from(most)).contains(&value) {
            return Err(
                Error::invalid(format!("{name} {value} is out of range")).hint(format!("Use 0 to {most}."))
            );
        }
    }
    Ok(())
}

/// Checks a setting against its values; `later` are those of the manual that this version does not have.
fn choose(setting: &str, value: &str, available: &[&str], later: &[&str]) -> Result<()> {
    if available.contains(&value) {
        return Ok(());
    }
    let reason = if later.contains(&value) { "is not available in this version" } else { "is not known" };
    Err(Error::invalid(format!("{setting} \"{value}\" {reason}"))
        .hint(format!("Use one of: {}.", available.join(", "))))
}

/// Writes the catalogue row under a free slug. A concurrent kb_create of the same name is waited for.
fn insert_row(request: &Request, model: &Model, dimensions: i32) -> Result<Uuid> {
    let id = uuid::v7()?;
    let plain = slug::slug(request.name);
    let suffixed = slug::with_suffix(&plain, &id.as_bytes()[10..]);
    let owner = role::role_name(role::current_role())?;
    let text_config = request.text_config;
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            let text_config = c
                .query_one(include_str!("text_config.sql"), Access::Read, &[Arg::new(text_config)], |row| {
                    row.require::<String>(1)
                })?
                .ok_or_else(|| Error::not_found("the text search configuration does not exist"))?;
            for slug in [&plain, &suffixed] {
                let taken = slug::is_reserved(slug)
                    || c.query_one(
                        include_str!("slug_taken.sql"),
                        Access::Write,
                        &[Arg::new(slug.as_str())],
                        |row| row.require::<bool>(1),
                    )? == Some(true);
                if taken {
                    continue;
                }
                let inserted = c.execute(
                    include_str!("insert.sql"),
                    &[
                        Arg::new(id),
                        Arg::new(request.name),
                        Arg::new(slug.as_str()),
                        Arg::new(format!("kb_{slug}")),
                        Arg::new(request.description),
                        Arg::new(owner.as_str()),
                        Arg::new(model.name()),
                        Arg::new(dimensions),
                        Arg::new(request.chunk_size),
                        Arg::new(request.chunk_overlap),
                        Arg::new(request.chunk_unit),
                        Arg::new(request.chunk_strategy),
                        Arg::new(text_config.as_str()),
                        Arg::new(request.ranker),
                        Arg::new(request.index_method),
                        Arg::new(request.embed),
                        Arg::new(request.ranking.bm25_k1),
                        Arg::new(request.ranking.bm25_b),
                        Arg::new(request.ranking.title_weight),
                        Arg::new(request.ranking.heading_weight),
                        Arg::new(model.variant().into_iter().collect::<Vec<_>>()),
                    ],
                )?;
                if inserted == 1 {
                    return Ok(id);
                }
            }
            Err(exists(request.name))
        })
    })
}

/// Creates schema, tables and vector index as the caller, who owns them, and the triggers as the extension's owner.
fn create_objects(base: &KnowledgeBase) -> Result<()> {
    let schema = base.quoted_schema();
    let dimensions = base.dimensions;
    let kind = base.vector_type();
    let storage = if dimensions <= MAX_INDEXED_DIMENSIONS { "PLAIN" } else { "EXTERNAL" };
    let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
    role::with_settings(quiet, || {
        spi::connect(|c| {
            let pgvector = Pgvector::find()?;
            c.run(&spi::render(
                include_str!("create_tables.sql"),
                &[
                    ("schema", &schema),
                    ("comment", &spi::quote_literal(&format!("knowledge base {}", base.name))),
                    ("vector", &pgvector.schema),
                    ("type", &format!("{kind}({dimensions})")),
                    ("storage", storage),
                    ("keyword_keys", &base.keyword_keys()),
                ],
            ))?;
            if !base.is_indexed() {
                return Ok(());
            }
            c.run(&spi::render(
                include_str!("create_vector_index.sql"),
                &[
                    ("schema", &schema),
                    ("vector", &pgvector.schema),
                    ("operator_class", &format!("{kind}_cosine_ops")),
                ],
            ))
        })
    })?;
    role::as_catalogue_owner(|| {
        spi::connect(|c| {
            c.run(&spi::render(
                include_str!("create_triggers.sql"),
                &[("schema", &schema), ("id", &spi::quote_literal(&base.id.to_string()))],
            ))
        })
    })
}
