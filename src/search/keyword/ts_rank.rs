//! PostgreSQL's own ranking functions: they ignore how rare a word is. Computed here, because PostgreSQL's implementation
//! takes time for every lexeme of the query and every chunk.

use kb_rag_core::cover_density::CoverDensity;
use kb_rag_core::frequency_rank::FrequencyRank;
use kb_rag_core::top::Top;
use kb_rag_core::tsvector::TsVector;
use pgrx::Uuid;

use super::query::Query;
use super::{Keyword, bm25};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::search::Search;
use crate::search::filter::Filter;

/// So many chunks are read by one statement.
const BATCH: usize = 10_000;

/// One of the functions, for one query.
pub enum Function {
    Frequency(FrequencyRank),
    CoverDensity(CoverDensity),
}

impl Function {
    /// `ts_rank` with normalization 1.
    pub fn ts_rank(base: &KnowledgeBase, query: &Query) -> Function {
        Function::Frequency(FrequencyRank::new(lexemes(query), weights(base)))
    }

    /// `ts_rank_cd` with normalization 1.
    pub fn ts_rank_cd(base: &KnowledgeBase, query: &Query) -> Function {
        Function::CoverDensity(CoverDensity::new(lexemes(query), weights(base)))
    }

    fn rank(&self, vector: &TsVector) -> Option<f64> {
        match self {
            Function::Frequency(function) => function.rank(vector),
            Function::CoverDensity(function) => function.rank(vector),
        }
    }

    /// The best `depth` chunks.
    pub fn arm(
        &self,
        search: &Search,
        keyword: &Keyword,
        place: usize,
        depth: i64,
    ) -> Result<Vec<(Uuid, f64)>> {
        let (base, query) = (&search.bases[place], &keyword.queries[place]);
        let filter = Filter::new(search.request, base)?.with_query(query);
        let mut top = Top::new(depth as usize);
        let rank = |vector: &TsVector, _| self.rank(vector);
        match keyword.indexes.get(place).and_then(Option::as_ref).filter(|_| !filter.is_secured()) {
            Some(index) => {
                for numbers in index.matching_numbers(query)?.chunks(BATCH) {
                    bm25::score_numbers(search, base, &filter, numbers.to_vec(), rank, &mut top)?;
                }
            }
            None => bm25::score_visible(search, base, &filter, query, rank, &mut top)?,
        }
        Ok(bm25::best(top))
    }

    /// The scores of these chunks of a base; 0 for those without a word of the query.
    pub fn scores(
        &self,
        search: &Search,
        base: &KnowledgeBase,
        chunks: Vec<Uuid>,
    ) -> Result<Vec<(Uuid, f64)>> {
        bm25::scores_of(search, base, chunks, |vector, _| self.rank(vector))
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
