//! Number and length of the chunks of a base, by text search configuration.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Number and length of the chunks of a base.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Size {
    pub chunks: i64,
    /// Of all chunks, in occurrences of lexemes.
    pub length: i64,
    /// Qualified names of the text search configurations in use.
    pub text_configs: Vec<String>,
}

/// How many chunks each text search configuration made. Negative in a segment that lists deletions.
#[derive(Clone, Debug, Default)]
pub struct Configs(BTreeMap<String, i64>);

impl Configs {
    pub fn add(&mut self, name: &str, chunks: i64) {
        match self.0.get_mut(name) {
            Some(sum) => *sum = sum.saturating_add(chunks),
            None => {
                self.0.insert(name.to_string(), chunks);
            }
        }
    }

    /// Those of a segment, as [`Configs::to_json`] wrote them.
    pub fn of_json(json: &str) -> Configs {
        let mut configs = Configs::default();
        // The owner of the base may have written anything.
        if let Ok(Value::Object(of_segment)) = serde_json::from_str(json) {
            for (name, chunks) in of_segment {
                configs.add(&name, chunks.as_i64().unwrap_or_default());
            }
        }
        configs
    }

    /// Adds those of a segment.
    pub fn add_all(&mut self, of_segment: &Configs) {
        of_segment.0.iter().for_each(|(name, chunks)| self.add(name, *chunks));
    }

    /// Whether all cancel out.
    pub fn is_zero(&self) -> bool {
        self.0.values().all(|chunks| *chunks == 0)
    }

    /// A JSON object; those that cancel out are left out.
    pub fn to_json(&self) -> String {
        let all: Map<String, Value> = self
            .0
            .iter()
            .filter(|(_, chunks)| **chunks != 0)
            .map(|(name, chunks)| (name.clone(), Value::from(*chunks)))
            .collect();
        Value::Object(all).to_string()
    }

    /// The names of those that chunks have.
    pub fn in_use(self) -> Vec<String> {
        self.0.into_iter().filter(|(_, chunks)| *chunks > 0).map(|(name, _)| name).collect()
    }
}
