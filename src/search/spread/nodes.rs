//! The nodes of a search: this server answers in its process, the others by a trip.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Stop;
use crate::cluster::{self, Answers};
use crate::error::Result;

/// Nodes by their groups.
pub struct Nodes {
    groups: Vec<i32>,
    own: i32,
}

/// A question that each node answers: the function of SQL, and what it does.
pub struct Question<C, O, A> {
    pub function: &'static str,
    pub here: fn(&C, &O) -> Result<A>,
}

impl Nodes {
    pub fn new(groups: Vec<i32>) -> Result<Nodes> {
        Ok(Nodes { groups, own: cluster::own_group()? })
    }

    /// The groups, and that of this server, which may have no bases in scope.
    pub fn groups(&self) -> &[i32] {
        &self.groups
    }

    /// The group of this server.
    pub fn own(&self) -> i32 {
        self.own
    }

    pub fn leave_out(&mut self, lost: &[i32]) {
        self.groups.retain(|group| !lost.contains(group));
    }

    /// The answers of nodes to a question, by their groups: to `common` and what each is asked.
    pub fn ask<C: Serialize, O: Serialize, A: DeserializeOwned>(
        &self,
        question: &Question<C, O, A>,
        common: &C,
        mut own: BTreeMap<i32, O>,
    ) -> Result<BTreeMap<i32, A>, Stop> {
        let here = own.remove(&self.own);
        let mut answers = BTreeMap::new();
        if !own.is_empty() {
            let Answers { of, lost } = cluster::ask(question.function, common, &own)?;
            if !lost.is_empty() {
                return Err(Stop::Lost(lost));
            }
            answers.extend(of);
        }
        if let Some(here) = here {
            answers.insert(self.own, (question.here)(common, &here)?);
        }
        Ok(answers)
    }
}
