//! kb_configure: new settings, and what follows from them.

use std::collections::HashSet;
use std::time::Instant;

use kb_rag_core::model_name::EmbeddingSpace;

use super::replace::Replacement;
use super::{change, lexemes, summaries, vectors};
use crate::base::{self, Changes, Embed, KnowledgeBase, Settings};
use crate::error::{Error, Result};
use crate::ingest::{self, MakeVectors};
use crate::keyword_index::{self, Place};
use crate::lock::{self, Lockable, Patience};
use crate::model::{self, Model};
use crate::postgres::spi::{self, Access, Connection};
use crate::queue::{self, Kind};

/// Changes settings of a base and rebuilds what they touch: the chunks whose text comes out differently, the lexemes, the
/// vectors or their index. `description` None leaves it as it is, an empty one removes it. `upsert_key` adds or drops that column.
pub fn configure(
    name: &str,
    description: Option<&str>,
    upsert_key: Option<bool>,
    changes: &Changes,
) -> Result<()> {
    lock::retrying(|is_short| configure_once(name, description, upsert_key, changes, is_short))
}

fn configure_once(
    name: &str,
    description: Option<&str>,
    upsert_key: Option<bool>,
    changes: &Changes,
    is_short: bool,
) -> Result<()> {
    base::check_description(description, changes)?;
    let old = base::locked_for_admin(name)?;
    // What is not given stays as it is, or as a pending change is to make it.
    let wanted = Settings { chunks: old.next_cut.unwrap_or(old.settings.chunks), ..old.settings.clone() };
    let (settings, model) = wanted.with(changes)?;
    if settings.log_searches != old.settings.log_searches {
        // Administrators read what others ask: the role whose base it is decides about that.
        old.require_owner()?;
    }
    if settings.space.model != old.settings.space.model {
        // From now on the base uses it with the privilege of its owner, whichever role administers the base.
        model::require_grant(&settings.space.model, old.owner_role()?)?;
    }
    if let Some(model) = changes.summaries.filter(|model| !model.is_empty()) {
        summaries::require_model(&old, model)?;
    }
    let mut new = old.clone();
    new.next = next_after(&old, &settings, changes);
    new.settings = settings;
    if let Some(description) = description {
        new.description = Some(description.to_string()).filter(|text| !text.is_empty());
    }
    if new.next.as_ref() == Some(&new.settings.space) {
        // The present vectors stay in use until the workers have made all of the others.
        new.settings.space.clone_from(&old.settings.space);
    }
    new.next_cut = None;
    if new.settings.chunks != old.settings.chunks && is_cut_by_workers(&new)? {
        // And so do the present chunks.
        new.next_cut = Some(new.settings.chunks);
        new.next = new.next.or_else(|| Some(old.settings.space.clone()));
        new.settings.chunks = old.settings.chunks;
    } else if new.next.as_ref() == Some(&old.settings.space) {
        // It was pending for other chunks alone.
        new.next = None;
    }
    let is_another_change = (&old.next, old.next_cut) != (&new.next, new.next_cut);
    let rebuild = Rebuild::between(&old, &new);
    // Before hours of work.
    if rebuild.vectors {
        old.require_replaceable_vectors()?;
    } else if new.next.is_some() && is_another_change {
        // It may be gone when workers have made the others.
        match old.require_replaceable_vectors() {
            Err(error) if error.is_depended_on() => {
                error.warn("workers make the new ones, which wait for that")
            }
            other => other?,
        }
    }
    if rebuild.vectors {
        new.model_variants.clear();
    }
    if rebuild.is_any() {
        new.lock_out_writers(is_short)?;
        new.connect(|c| rebuild.run(c, &new, model.as_ref()))?;
    }
    let is_rewritten_later = !rebuild.lexemes && analyzes_differently(&old, &new);
    let [was_off, is_off] = [&old, &new].map(|base| base.settings.embed == Embed::Off);
    if (is_rewritten_later || was_off != is_off) && !rebuild.is_any() {
        // Later writers make the new lexemes, or have the vectors made; present ones are waited for.
        new.lock_out_writers(is_short)?;
    }
    if let Some(variant) = model.as_ref().and_then(Model::variant)
        && new.next.is_none()
        && (rebuild.vectors || rebuild.chunks)
        && !new.model_variants.iter().any(|known| known == variant)
    {
        new.model_variants.push(variant.to_string());
    }
    if is_off && !was_off {
        // After the tables were locked, in the order of the workers.
        queue::forget(new.id, Kind::Embed)?;
    }
    if was_off != is_off && !rebuild.chunks {
        let schema = new.quoted_schema();
        new.connect(|c| match is_off {
            true => ingest::all_indexed(c, &new, &schema, "embedding"),
            false => ingest::queue_unfinished(c, &new, &schema, &HashSet::new()),
        })?;
    }
    if let Some(is_wanted) = upsert_key {
        new.set_upsert_key(is_wanted)?;
    }
    match changes.summaries {
        None => {}
        Some("") => summaries::end(&new)?,
        Some(_) => summaries::begin(&old, &new, is_short)?,
    }
    save(&new)?;
    if is_rewritten_later {
        lexemes::enqueue(&new)?;
    }
    if is_another_change {
        change::begin(&old, &new, is_short)?;
    }
    // A fault of its tables or settings may be fixed now.
    queue::end_pauses_of_base(new.id)
}

/// Whether the same text gets other lexemes in the same text search configuration.
fn analyzes_differently(old: &KnowledgeBase, new: &KnowledgeBase) -> bool {
    old.settings.lexemes.analyzer("") != new.settings.lexemes.analyzer("")
}

/// The pending model after these changes, by which the base gets the settings `wanted`: their model, if workers are to make
/// its vectors; otherwise the one pending now, unless the changes decide about the model.
fn next_after(old: &KnowledgeBase, wanted: &Settings, changes: &Changes) -> Option<EmbeddingSpace> {
    let another_model = wanted.space != old.settings.space;
    if another_model && wanted.embed.is_by_workers(&wanted.space.model) {
        return Some(wanted.space.clone());
    }
    let is_decided = another_model || changes.model.is_some() || changes.dimensions.is_some();
    old.next.clone().filter(|_| !is_decided && wanted.embed != Embed::Off)
}

/// Whether documents get their vectors in the statement that writes them.
fn makes_vectors_here(settings: &Settings) -> bool {
    settings.embed != Embed::Off && !settings.embed.is_by_workers(&settings.space.model)
}

/// Whether workers cut the documents of a base in another way, beside the present chunks: those that have vectors serve meanwhile.
fn is_cut_by_workers(base: &KnowledgeBase) -> Result<bool> {
    let settings = &base.settings;
    if !base::are_lexemes_recorded() || !settings.embed.is_by_workers(&settings.space.model) {
        return Ok(false);
    }
    let sql = spi::render(include_str!("has_vectors.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.query_one(&sql, Access::Read, &[], |row| row.require(1)))
        .map(Option::unwrap_or_default)
}

/// What has to be rebuilt.
struct Rebuild {
    chunks: bool,
    lexemes: bool,
    vectors: bool,
    vector_index: bool,
}

impl Rebuild {
    fn between(old: &KnowledgeBase, new: &KnowledgeBase) -> Rebuild {
        let vectors = new.settings.space != old.settings.space;
        Rebuild {
            // Chunks are cut to the token limit of the model.
            chunks: vectors
                || new.settings.chunks != old.settings.chunks
                || old.settings.embed == Embed::Off && makes_vectors_here(&new.settings),
            lexemes: new.settings.text_config != old.settings.text_config,
            vectors,
            vector_index: !vectors && new.settings.index_kind() != old.settings.index_kind(),
        }
    }

    fn is_any(&self) -> bool {
        self.chunks || self.lexemes || self.vectors || self.vector_index
    }

    /// Rebuilds, while writers are locked out.
    fn run(&self, c: &Connection, base: &KnowledgeBase, model: Option<&Model>) -> Result<()> {
        let schema = base.quoted_schema();
        let began = Instant::now();
        if self.chunks {
            // With another model all vectors are made below.
            let make = if self.vectors { MakeVectors::Later } else { MakeVectors::of_rebuild(base) };
            ingest::sync_all(base, &schema, c, &make)?;
        }
        if self.lexemes {
            let refresh = || ingest::refresh_lexemes(c, base, &schema, "u.text_config <> {analyzer}");
            keyword_index::collecting(&Place::for_base(base)?, refresh)?;
        }
        let mut replacement = Replacement::default();
        if self.vectors {
            let found;
            let model = match model {
                Some(model) => model,
                None => {
                    found = model::resolve(&base.settings.space.model)?;
                    &found
                }
            };
            vectors::make_all(c, base, &schema, model, &mut replacement)?;
            queue::forget(base.id, Kind::Embed)?;
            // The old table still has its name, and lacks the vectors that the forgotten jobs were to make.
            ingest::all_indexed(c, base, &schema, vectors::NEW_TABLE)?;
        } else if self.vector_index {
            replacement.vector_index(c, base)?;
        }
        replacement.take_place(c, base, &[], Patience::for_work_since(began))
    }
}

/// Writes the settings to the catalog and to the copy among the tables.
pub fn save(base: &KnowledgeBase) -> Result<()> {
    if base.update_row()? == 0 {
        return Err(Error::internal(format!("knowledge base \"{}\" is not in the catalog", base.name)));
    }
    base.store_settings()
}
