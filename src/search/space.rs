//! The bases in scope by embedding space: similarities of different models are not comparable.

use std::time::{Duration, Instant};

use kb_rag_core::model_name::EmbeddingSpace;

use super::Request;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::model::{self, Model};
use crate::postgres::vector::Vector;

/// Bases whose vectors are comparable, and the vector of the question there.
pub struct Space<'a> {
    pub space: &'a EmbeddingSpace,
    /// The bases.
    members: Vec<&'a KnowledgeBase>,
    /// Found by `open`; None if the caller gave the vector.
    model: Option<Model>,
    /// Empty until `embed`.
    pub vector: Vec<f32>,
}

/// The spaces of the bases in scope, and the number of the space of each base.
pub fn of_bases(bases: &[KnowledgeBase]) -> (Vec<Space<'_>>, Vec<usize>) {
    let mut spaces: Vec<Space> = Vec::new();
    let numbers =
        bases.iter().map(|base| match spaces.iter().position(|known| *known.space == base.settings.space) {
            Some(number) => {
                spaces[number].members.push(base);
                number
            }
            None => {
                let space = &base.settings.space;
                spaces.push(Space { space, members: vec![base], model: None, vector: Vec::new() });
                spaces.len() - 1
            }
        });
    let numbers = numbers.collect();
    (spaces, numbers)
}

impl Space<'_> {
    /// 42501 unless the caller may read every base.
    pub fn require_read(&self) -> Result<()> {
        self.members.iter().try_for_each(|base| base.require_read())
    }

    /// Finds the model, if the question is to be embedded. Whether it reads the question; true unless that is asked.
    pub fn open(&mut self, request: &Request, checks_question: bool) -> Result<bool> {
        if request.query_embedding.is_some() {
            return Ok(true);
        }
        let model = self.model.insert(self.find_model()?);
        let tokenizer = model.tokenizer().filter(|_| checks_question);
        Ok(tokenizer.is_none_or(|tokenizer| tokenizer.reads(&request.embedded_query())))
    }

    /// The model, used with the privilege of the owner of one of the bases: the privilege to search a base includes the use of
    /// its provider.
    fn find_model(&self) -> Result<Model> {
        let mut found = Err(Error::internal("a model of no knowledge base"));
        for base in &self.members {
            found = model::resolve_as(&self.space.model, base.owner_role()?);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Makes the vector of the question, or takes that of the caller. Returns how long the model took.
    pub fn embed(&mut self, request: &Request) -> Result<Duration> {
        if let Some(vector) = &request.query_embedding {
            vector.check(self.space.dimensions as usize, "the query embedding")?;
            self.vector.clone_from(&vector.0);
            return Ok(Duration::ZERO);
        }
        let model = self.model.as_ref().ok_or_else(|| Error::internal("a model that was not opened"))?;
        let began = Instant::now();
        self.vector = model.embed_question(&request.embedded_query(), self.space.dimensions)?;
        Ok(began.elapsed())
    }

    /// Takes the vector that another node made, or its caller gave.
    pub fn take(&mut self, vector: &[f32]) -> Result<()> {
        let vector = Vector(vector.to_vec());
        vector.check(self.space.dimensions as usize, "the query embedding")?;
        self.vector = vector.0;
        Ok(())
    }

    /// The names of its bases.
    pub fn names(&self) -> Vec<&str> {
        self.members.iter().map(|base| base.name.as_str()).collect()
    }
}
