//! What the cosine similarities of a model mean, measured: `kb_similarity.json`. Its own file, because libraries of kb_rag 0.3 refuse
//! an unknown field in `kb_model.json`, and a package installs the files under running servers.

use std::path::Path;

use serde::Deserialize;

use crate::error::Error;
use crate::files;

/// What similarities of questions and texts mean. Each is measured, or not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Similarities {
    /// The best text about a question exceeds this.
    pub answer_threshold: Option<f64>,
    /// Texts about a question exceed this.
    pub match_threshold: Option<f64>,
    /// Texts with nearly all words of a question exceed this, if they are about it.
    pub exact_threshold: Option<f64>,
    /// Rising similarities that are shown as a relevance of 0, .25, .5, .75 and 1.
    pub relevance: Option<[f64; 5]>,
}

impl Similarities {
    /// `otherwise` is the match_threshold of a directory without this file.
    pub(crate) fn read(directory: &Path, otherwise: Option<f64>) -> Result<Similarities, Error> {
        let path = directory.join("kb_similarity.json");
        let found: Option<Similarities> = files::read_optional_json(&path)?;
        let Some(found) = found else {
            let path = directory.join("kb_model.json");
            check(&path, "threshold", otherwise)?;
            return Ok(Similarities { match_threshold: otherwise, ..Similarities::default() });
        };
        check(&path, "answer_threshold", found.answer_threshold)?;
        check(&path, "match_threshold", found.match_threshold)?;
        check(&path, "exact_threshold", found.exact_threshold)?;
        if found.relevance.is_some_and(|points| points.windows(2).any(|pair| pair[0] >= pair[1])) {
            return Err(Error::invalid(&path, "relevance does not rise"));
        }
        Ok(found)
    }
}

fn check(path: &Path, name: &str, threshold: Option<f64>) -> Result<(), Error> {
    match threshold.filter(|threshold| !(-1.0..1.0).contains(threshold)) {
        Some(threshold) => {
            Err(Error::invalid(path, format!("{name} is {threshold}, not at least -1 and less than 1")))
        }
        None => Ok(()),
    }
}
