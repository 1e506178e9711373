//! PostgreSQL's own ranking functions: they ignore how rare a word is. Computed here, because PostgreSQL's implementation
//! takes time for every lexeme of the query and every chunk.

use kb_rag_core::cover_density::CoverDensity;
use kb_rag_core::frequency_rank::FrequencyRank;
use kb_rag_core::top::Top;
use kb_rag_core::tsvector::TsVector;
use pgrx::Uuid;

use super::query::Query;
use super::{InBase, bm25};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::search::visible::Visible;

/// So many chunks are read by one statement.
const BATCH: usize = 10_000;

/// One of the functions, for one query.
pub enum Function {
    Frequency(FrequencyRank),
    CoverDensity(CoverDensity),
}

impl Function {
    /// `ts_rank` with normalization 1.
    pub fn ts_rank(of: &InBase) -> Function {
        Function::Frequency(FrequencyRank::new(lexemes(of.query), weights(of.base)))
    }

    /// `ts_rank_cd` with normalization 1.
    pub fn ts_rank_cd(of: &InBase) -> Function {
        Function::CoverDensity(CoverDensity::new(lexemes(of.query), weights(of.base)))
    }

    fn rank(&self, vector: &TsVector) -> Option<f64> {
        match self {
            Function::Frequency(function) => function.rank(vector),
            Function::CoverDensity(function) => function.rank(vector),
        }
    }

    /// The best `depth` chunks.
    pub fn best(&self, of: &InBase, depth: usize) -> Result<Vec<(Uuid, f64)>> {
        let filter = of.filter()?;
        let mut top = Top::new(depth);
        let rank = |vector: &TsVector, _| self.rank(vector);
        match of.index {
            Some(index) => {
                let mut numbers = index.matching_numbers(of.query)?;
                if let Visible::Listed(listed) = of.visible {
                    numbers.retain(|number| listed.numbers.binary_search(number).is_ok());
                }
                let open = filter.open();
                for numbers in numbers.chunks(BATCH) {
                    let numbers = match of.visible {
                        Visible::All | Visible::Unread | Visible::Listed(_) => numbers.to_vec(),
                        Visible::Estimated(estimated) => {
                            estimated.visible_of(of.connection, of.base, numbers)?.into_iter().collect()
                        }
                    };
                    let score = || bm25::score_numbers(of, &open, numbers, rank, &mut top);
                    of.base.as_owner(score)?;
                }
            }
            None => bm25::score_visible(of, &filter, rank, &mut top)?,
        }
        Ok(bm25::sorted(top))
    }

    /// The scores of these chunks of a base; 0 for those without a word of the query.
    pub fn scores(&self, of: &InBase, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
        bm25::scores_of(of, chunks, |vector, _| self.rank(vector))
    }
}

fn lexemes(query: &Query) -> Vec<Vec<u8>> {
    query.lexemes.iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect()
}

/// Weights of the labels D, C, B, A. PostgreSQL's default weight of a word of the text is 0.1; a word in the title or the
/// heading counts as many times that as the base says.
fn weights(base: &KnowledgeBase) -> [f32; 4] {
    [1.0, 1.0, base.settings.ranking.heading_weight, base.settings.ranking.title_weight]
        .map(|weight| weight as f32 / 10.0)
}
