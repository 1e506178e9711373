//! Creating a knowledge base: a catalog row, a schema, its tables and triggers.

pub mod objects;

use kb_rag_core::slug;
use pgrx::Uuid;
use pgrx::prelude::*;

use super::{Changes, KnowledgeBase, Settings, find, warn_of_case};
use crate::base::drop::may_drop_lost;
use crate::base::find::lost;
use crate::base::settings::stored;
use crate::catalog;
use crate::cluster;
use crate::error::{Error, Result};
use crate::model::{self, Model};
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::uuid;

/// Longer names are 54000.
pub(super) const MAX_NAME_CHARACTERS: usize = 200;

/// Creates the base and returns it. Nothing is left behind on an error: it is all one transaction. With `if_not_exists` a base of this
/// name is returned as it is.
pub fn create(
    name: &str,
    description: Option<&str>,
    changes: &Changes,
    if_not_exists: bool,
) -> Result<KnowledgeBase> {
    check_name(name)?;
    check_description(description, changes)?;
    let (settings, model) = Settings::session_defaults()?.with(changes)?;
    if let Some(base) = find(name)? {
        return if if_not_exists { keep(base, description, &settings) } else { Err(taken(&base)) };
    }
    let id = uuid::v7()?;
    let owner = role::role_name(role::current_role())?;
    let variants: Vec<&str> = model.as_ref().and_then(Model::variant).into_iter().collect();
    let row = CatalogRow { id, name, description, owner: &owner, settings: &settings, variants };
    match row.insert(&SchemaName::New) {
        Ok(()) => {}
        // Another transaction has created it meanwhile.
        Err(error) if if_not_exists && error.is_exists() => {
            let base = find(name)?.ok_or(error)?;
            return keep(base, description, &settings);
        }
        Err(error) => return Err(error),
    }
    let base =
        super::by_id(id)?.ok_or_else(|| Error::internal("the new knowledge base is not in the catalog"))?;
    objects::create(&base)?;
    let base = super::by_name(&base.name, Access::Write)?;
    stored::write(&base)?;
    warn_of_case(name)?;
    lost::warn(name)?;
    notice!("created knowledge base \"{}\" in schema \"{}\"", base.name, base.schema);
    Ok(base)
}

/// A base that exists already, after a notice that says what is different. 42501 unless the caller administers it, 55000
/// where Citus distributes its tables.
fn keep(base: KnowledgeBase, description: Option<&str>, wanted: &Settings) -> Result<KnowledgeBase> {
    base.require_local()?;
    base.require_admin()?;
    let message = format!("knowledge base \"{}\" already exists, skipping", base.name);
    let pairs = base.settings.values().into_iter().zip(wanted.values());
    let mut different: Vec<String> = pairs
        .map(|((name, is), (_, wanted))| (name, is.to_string(), wanted.to_string()))
        .filter(|(_, is, wanted)| is != wanted)
        .map(|(name, is, wanted)| format!("{name} is {is}, not {wanted}"))
        .collect();
    if description.is_some() && description != base.description.as_deref() {
        different.push("description is another".to_string());
    }
    Error::remark(message).with_differences(&different, "Run kb_configure to change settings.").notify();
    Ok(base)
}

/// 42710 for a name that another transaction has just taken.
pub fn exists(name: &str) -> Error {
    Error::exists(format!("knowledge base \"{name}\" already exists")).hint("Choose another name.")
}

/// 42710 for the name of this base, whose administrators may change it.
fn taken(base: &KnowledgeBase) -> Error {
    let error = exists(&base.name);
    if !lookup::schema_exists(&base.schema) && may_drop_lost(base).unwrap_or(false) {
        return error
            .detail(format!("Its schema \"{}\" was dropped.", base.schema))
            .hint(format!("Remove what is left of it: SELECT kb_drop({}).", spi::quote_literal(&base.name)));
    }
    match base.require_admin() {
        Ok(()) => error.hint(
            "Change its settings with kb_configure, choose another name, or keep it as it is with if_not_exists => true.",
        ),
        Err(_) => error,
    }
}

/// 22023 for a blank name, 54000 for one that is too long.
pub fn check_name(name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Error::invalid("the name of a knowledge base must not be empty")
            .hint(format!("Use 1 to {MAX_NAME_CHARACTERS} characters.")));
    }
    if name.chars().count() > MAX_NAME_CHARACTERS {
        return Err(Error::limit("the name of the knowledge base is too long")
            .hint(format!("Use at most {MAX_NAME_CHARACTERS} characters.")));
    }
    Ok(())
}

/// 22023 for a description that is the name of a model, where no model is given: it is the second argument.
pub fn check_description(description: Option<&str>, changes: &Changes) -> Result<()> {
    match description.filter(|text| changes.model.is_none() && model::is_name(text)) {
        None => Ok(()),
        Some(text) => {
            Err(Error::invalid(format!("description \"{text}\" is the name of a model")).hint(format!(
                "The second argument is the description. Name the argument: model => {}.",
                spi::quote_literal(text)
            )))
        }
    }
}

/// Where the tables of a new row of the catalog are.
pub enum SchemaName<'a> {
    /// To be created, under a name that is free.
    New,
    /// An existing schema.
    Existing(&'a str),
}

/// A new row of the catalog.
pub struct CatalogRow<'a> {
    pub id: Uuid,
    pub name: &'a str,
    pub description: Option<&'a str>,
    pub owner: &'a str,
    pub settings: &'a Settings,
    pub variants: Vec<&'a str>,
}

impl CatalogRow<'_> {
    /// Writes the row under a free slug, and the node of the base where there is a cluster. A concurrent kb_create of the same name is
    /// waited for.
    pub fn insert(&self, schema: &SchemaName) -> Result<()> {
        cluster::require_free(self.name)?;
        self.insert_here(schema)?;
        cluster::register(self.name, self.id)
    }

    fn insert_here(&self, schema: &SchemaName) -> Result<()> {
        let plain = match schema {
            SchemaName::New => slug::slug(self.name),
            SchemaName::Existing(schema) => slug::slug(schema.strip_prefix("kb_").unwrap_or(schema)),
        };
        let suffixed = slug::with_suffix(&plain, &self.id.as_bytes()[10..]);
        catalog::connect(|c| {
            for slug in [&plain, &suffixed] {
                let found = c.query_one(
                    include_str!("slug_taken.sql"),
                    Access::Write,
                    &[Arg::new(slug.as_str())],
                    |row| Ok((row.require::<bool>(1)?, row.require::<bool>(2)?)),
                )?;
                let (by_base, by_schema) = found.unwrap_or_default();
                let (free, schema) = match schema {
                    SchemaName::New => (!by_base && !by_schema, format!("kb_{slug}")),
                    SchemaName::Existing(schema) => (!by_base, schema.to_string()),
                };
                if free && !slug::is_reserved(slug) && self.write(c, slug, schema)? {
                    return Ok(());
                }
            }
            Err(exists(self.name))
        })
    }

    /// False if the name, the slug or the schema is taken.
    fn write(&self, connection: &spi::Connection, slug: &str, schema: String) -> Result<bool> {
        let mut args = vec![
            Arg::new(self.id),
            Arg::new(self.name),
            Arg::new(slug),
            Arg::new(schema),
            Arg::new(self.description),
            Arg::new(self.owner),
            Arg::new(self.variants.clone()),
        ];
        let values = self.settings.placeholders(args.len());
        args.extend(self.settings.args());
        let sql = spi::render(
            include_str!("insert.sql"),
            &[("settings", Settings::columns()), ("values", &values)],
        );
        Ok(connection.execute(&sql, &args)? == 1)
    }
}
