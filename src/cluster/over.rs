//! Work over several nodes: this server answers in its process, the others by a trip.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ask::{Answers, ask, may_ask};
use super::own_group;
use crate::error::{Error, Result};

/// Why work over some nodes ended without a result.
pub enum Stop {
    Failed(Error),
    /// The nodes of these groups do not answer. The work begins again without them.
    Lost(Vec<i32>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

/// A result of this server; where it needs the bases of several nodes, that of `over` for their groups.
pub fn here_or_over<T>(here: Result<T>, over: impl FnOnce(&[i32]) -> Result<T>) -> Result<T> {
    match here {
        Err(error) if !error.groups().is_empty() && may_ask() => over(error.groups()),
        here => here,
    }
}

/// The same, and where it needs bases of one other node.
pub fn here_or_elsewhere<T>(here: Result<T>, over: impl FnOnce(&[i32]) -> Result<T>) -> Result<T> {
    match here {
        Err(error) if error.group().is_some() && may_ask() => over(error.group().as_slice()),
        here => here_or_over(here, over),
    }
}

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

/// The result of `work` over the nodes of these groups. It begins again without those that do not answer and may be left out.
pub fn over<T>(groups: &[i32], mut work: impl FnMut(&Nodes) -> Result<T, Stop>) -> Result<T> {
    let mut nodes = Nodes { groups: groups.to_vec(), own: own_group()? };
    loop {
        match work(&nodes) {
            Ok(done) => return Ok(done),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Lost(lost)) => nodes.groups.retain(|group| !lost.contains(group)),
        }
    }
}

impl Nodes {
    /// The groups, perhaps with that of this server.
    pub fn groups(&self) -> &[i32] {
        &self.groups
    }

    /// The group of this server, which may have no bases in scope.
    pub fn own(&self) -> i32 {
        self.own
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
            let Answers { of, lost } = ask(question.function, common, &own)?;
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

    /// The same where all nodes are asked the same.
    pub fn ask_all<C: Serialize, O: Serialize + Clone, A: DeserializeOwned>(
        &self,
        question: &Question<C, O, A>,
        common: &C,
        own: &O,
    ) -> Result<BTreeMap<i32, A>, Stop> {
        self.ask(question, common, self.groups.iter().map(|group| (*group, own.clone())).collect())
    }
}
