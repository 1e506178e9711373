//! The bases in scope by embedding space, and the semantic arm of each: similarities of different models are not comparable.

use std::cell::OnceCell;
use std::time::Instant;

use kb_rag_core::model_name::EmbeddingSpace;

use super::arm::{Arm, Kind};
use super::semantic::Depth;
use super::{Mode, Search, legibility, semantic};
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::model::{self, InputType, Model};

/// Bases whose vectors are comparable. What is found out about a query is kept for deeper searches.
pub struct Space<'a> {
    pub space: &'a EmbeddingSpace,
    /// Their places among the bases in scope.
    pub members: Vec<usize>,
    /// The vector of the query. None if it cannot be used, which was reported.
    vector: OnceCell<Option<Vec<f32>>>,
    /// How well the model reads what it found, from 0 to 1.
    reading: OnceCell<f64>,
}

/// The spaces of the bases in scope.
pub fn of_bases(bases: &[KnowledgeBase]) -> Vec<Space<'_>> {
    let mut spaces: Vec<Space> = Vec::new();
    for (index, base) in bases.iter().enumerate() {
        match spaces.iter_mut().find(|known| *known.space == base.settings.space) {
            Some(known) => known.members.push(index),
            None => spaces.push(Space {
                space: &base.settings.space,
                members: vec![index],
                vector: OnceCell::new(),
                reading: OnceCell::new(),
            }),
        }
    }
    spaces
}

/// The semantic arm of each space, in the same order at every depth. One whose model cannot be used has no hits. No arms
/// if nothing is found.
pub fn arms<'a>(search: &'a Search<'a>, depth: Depth) -> Result<Vec<Arm<'a>>> {
    if !search.request.uses_vectors() {
        return Ok(Vec::new());
    }
    let (mut arms, mut failed) = (Vec::new(), Vec::new());
    for space in &search.spaces {
        // Before a provider is called: only readers of a base may spend its owner's money or send text out.
        space.members.iter().try_for_each(|&index| search.bases[index].require_read())?;
        let arm = space.arm(search, depth).or_else(|error| {
            if !error.is_unavailable() {
                return Err(error);
            }
            space.vector.get_or_init(|| None);
            failed.push((error, space));
            Ok(None)
        })?;
        let kind = Kind::Semantic { space, vector: &[] };
        arms.push(
            arm.unwrap_or_else(|| Arm::new(kind, search.request.semantic_weight, Vec::new(), depth.hits)),
        );
    }
    do_without(search, failed, arms.iter().any(Arm::is_usable))?;
    // An arm that cannot be used only tells which candidates of keyword search have no similarity.
    if search.request.mode == Mode::Semantic {
        arms.retain(Arm::is_usable);
    }
    // Arms that found nothing tell nothing apart.
    if arms.iter().all(|arm| arm.found == 0) {
        arms.clear();
    }
    Ok(arms)
}

impl Space<'_> {
    /// None if the model cannot be used with the query or with what it found.
    fn arm<'a>(&'a self, search: &'a Search<'a>, depth: Depth) -> Result<Option<Arm<'a>>> {
        let Some(vector) = self.vector(search)? else { return Ok(None) };
        let hits =
            search.merge(&self.members, depth.hits, |index| semantic::arm(search, index, vector, depth))?;
        let reading = match self.reading.get() {
            Some(reading) => *reading,
            None => {
                let reading = legibility::of_hits(search, self, &hits)?;
                *self.reading.get_or_init(|| reading)
            }
        };
        // There is nothing better than similarity where keywords do not count.
        let weight = if search.uses_keywords() { reading } else { 1.0 };
        if weight == 0.0 {
            return Ok(None);
        }
        let weight = weight * search.request.semantic_weight;
        Ok(Some(Arm::new(Kind::Semantic { space: self, vector }, weight, hits, depth.hits)))
    }

    /// The vector to search with: the caller's, or that of the query. None if it failed before in this search, or if the model
    /// does not read the query.
    fn vector(&self, search: &Search) -> Result<Option<&[f32]>> {
        let vector = match self.vector.get() {
            Some(vector) => vector,
            None => {
                let vector = self.new_vector(search)?;
                self.vector.get_or_init(|| vector)
            }
        };
        Ok(vector.as_deref())
    }

    fn new_vector(&self, search: &Search) -> Result<Option<Vec<f32>>> {
        if let Some(vector) = &search.request.query_embedding {
            vector.check(self.space.dimensions as usize, "the query embedding")?;
            return Ok(Some(vector.0.clone()));
        }
        let query = search.request.embedded_query();
        let model = self.model(search)?;
        if !legibility::of_query(search, self, &model, &query) {
            return Ok(None);
        }
        let began = Instant::now();
        let vector = model.embed(&query, self.space.dimensions, InputType::Query);
        let time = &search.request.embedding_time;
        time.set(time.get() + began.elapsed());
        vector.map(Some)
    }

    /// The model, used with the privilege of the owner of one of the bases: the privilege to search a base includes the use of
    /// its provider.
    fn model(&self, search: &Search) -> Result<Model> {
        let mut found = Err(Error::internal("a model of no knowledge base"));
        for &index in &self.members {
            found = model::resolve_as(&self.space.model, search.bases[index].owner_role()?);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Whether the model reads the texts that were found.
    pub fn is_read(&self) -> bool {
        self.reading.get().is_none_or(|reading| *reading >= legibility::READ)
    }

    /// The bases, for messages.
    pub fn named(&self, search: &Search) -> String {
        base::named(self.members.iter().map(|&index| &search.bases[index]))
    }
}

/// Warns of bases whose model cannot be used: results of keyword search or of other bases are worth more than an error.
/// The first error if there is neither.
fn do_without(search: &Search, failed: Vec<(Error, &Space)>, finds_others: bool) -> Result<()> {
    for (error, space) in failed {
        if !search.uses_keywords() && !finds_others {
            return Err(error);
        }
        let are = if space.members.len() == 1 { "is" } else { "are" };
        let instead = if search.uses_keywords() { "searched by keyword only" } else { "left out" };
        error.warn(&format!("{} {are} {instead}", space.named(search)));
    }
    Ok(())
}
